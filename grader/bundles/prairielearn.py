"""PrairieLearn: a question folder with the assignment in its `tests/`, and the image that grades it.

In the container everything is under `/grade` and runs as root; the student's files are in `student`, and
`results/results.json` counts only if the process ends with exit code 0. `GRADE_ROOT` puts all of it below
another folder, to try it.
"""

from __future__ import annotations

import html
import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.bundles.image import dockerfile, image_files
from grader.bundles.tree import Bundle, BundleFile, Trial, course_files, unpack
from grader.bundles.trial import hand_in, moved, read_document, run
from grader.catalog import Assignment
from grader.exports.targets import Setting

TIMEOUT_S = 300  # PrairieLearn's default is 30, its most 600
_NAMESPACE = uuid.UUID("9b1c66a5-6f0e-4c52-9d8a-7d2c7f3d5a10")  # the same assignment keeps its question

RUN = """\
#!/usr/bin/env bash
# Runs once per submission, as root. Student code gets another user, who can enter none of these folders.
root="${GRADE_ROOT:-}"
base="$root/grade"
home="$root/opt/grader"
results="$base/results/results.json"

mkdir -p "$base/results"
rm -rf "$results"
chmod 711 "$base"
chmod 700 "$base"/*/
umask 077
if cd "$home"; then
    export PYTHONPATH="$home/src" PYTHONDONTWRITEBYTECODE=1
    "${GRADE_PYTHON:-/usr/local/bin/python3}" -m grader submit \\
        "$base/student" --assignment "$base/tests/course" --isolation strict \\
        --format prairielearn -o "$results"
fi
if [ ! -s "$results" ]; then
    echo '{"gradable": false, "format_errors": ["The grader failed; ask the course staff."]}' > "$results"
fi
exit 0  # with any other code PrairieLearn drops the results
"""

QUESTION = """\
<pl-question-panel>
  <p>{title}</p>
  <pl-file-upload file-names="{names}"></pl-file-upload>
</pl-question-panel>
<pl-submission-panel>
  <pl-external-grader-results></pl-external-grader-results>
  <pl-file-preview></pl-file-preview>
</pl-submission-panel>
"""


def make_files(assignment: Assignment, settings: Mapping[str, str]) -> list[BundleFile]:
    names = settings["files"] or ",".join(f"{stem}.py" for stem in assignment.stems)
    page = QUESTION.format(title=html.escape(assignment.title), names=html.escape(names))
    return [
        BundleFile("question/info.json", _info(assignment, settings["image"])),
        BundleFile("question/question.html", page.encode()),
        BundleFile("question/tests/run.sh", RUN.encode(), True),
        *course_files(assignment, "question/tests/course"),
        *image_files("image/", dockerfile()),
    ]


def _info(assignment: Assignment, image: str) -> bytes:
    fields: dict[str, Any] = {
        "uuid": str(uuid.uuid5(_NAMESPACE, assignment.id)),
        "title": assignment.title,
        "topic": "Programming",
        "type": "v3",
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/grade/tests/run.sh",
            "timeout": TIMEOUT_S,
            "enableNetworking": False,
        },
    }
    return (json.dumps(fields, indent=2, ensure_ascii=False) + "\n").encode()


def attempt(files: list[BundleFile], submission: Path, root: Path) -> Trial:
    """Lay out `/grade` and the image's own files below `root`, and run the question's entry point."""
    base = root / "grade"
    unpack(moved(files, {"question/tests/": "grade/tests/", "image/src/": "opt/grader/src/"}), root)
    (base / "data").mkdir()
    (base / "data" / "data.json").write_text("{}")
    hand_in(submission, base / "student")
    ended = run([str(base / "tests" / "run.sh")], base, root)
    document = None if ended.exit_code else read_document(base / "results" / "results.json")
    return Trial(document, ended.output, ended.exit_code)


BUNDLE = Bundle(
    "PrairieLearn question folder",
    "prairielearn.zip",
    make_files,
    attempt,
    settings=(
        Setting("image", "the image's name in its registry", default="attention-grader"),
        Setting("files", "the names of the files to upload, with commas between", default=""),
    ),
)
