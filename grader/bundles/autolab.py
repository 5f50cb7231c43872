"""Autolab: `autograde-Makefile`, `autograde.tar`, the assessment's file, and the image for Tango.

A job runs in a folder with Makefile, tar and the handin, as a user who is not root. All that is printed
is what the student reads, and its last line is the score: so nothing else may print, and `make` must not see
an error, of which it would write a line of its own. `GRADE_ROOT` puts the image's files below another folder.
"""

from __future__ import annotations

import io
import json
import math
import re
import shlex
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from grader.bundles.image import dockerfile, image_files
from grader.bundles.tree import Bundle, BundleFile, Trial, course_files, unpack
from grader.bundles.trial import hand_in, moved, run
from grader.catalog import Assignment
from grader.exports.points import plain
from grader.exports.targets import Setting, SettingError
from grader.printable import printable

TIMEOUT_S = 300
MAKEFILE = """\
.SILENT:
all:
\ttar xf autograde.tar
\tbash autograde/run.sh
"""

RUN = """\
#!/usr/bin/env bash
# Grades whatever was handed in. The last line that is printed is the score, whatever goes wrong.
root="${{GRADE_ROOT:-}}"
home="$root/opt/grader"
job="$PWD"
mkdir handin
for file in *; do
    case "$file" in
        Makefile | autograde-Makefile | autograde.tar | autograde | handin) ;;
        *) mv -- "$file" handin/ ;;
    esac
done
chmod 700 autograde handin
set -- "$job"/handin/*
[ $# = 1 ] && submission="$1" || submission="$job/handin"
umask 077
if cd "$home"; then
    export PYTHONPATH="$home/src" PYTHONDONTWRITEBYTECODE=1
    "${{GRADE_PYTHON:-/usr/local/bin/python3}}" -m grader submit \\
        "$submission" --assignment "$job/autograde/course" --isolation strict \\
        --format autolab {options}-o "$job/autograde/result.txt" 2> "$job/autograde/log.txt" >&2
fi
if [ -s "$job/autograde/result.txt" ]; then
    cat "$job/autograde/result.txt"
else
    echo "The grader failed; this costs no points. Ask the course staff."
    echo {no_scores}
fi
exit 0
"""

_FIRST = (
    "FROM debian:bookworm-slim AS autodriver",
    "RUN apt-get update \\",
    " && apt-get install -y --no-install-recommends build-essential ca-certificates git",
    "RUN git clone --depth 1 https://github.com/autolab/Tango.git /tango \\",
    " && make -C /tango/autodriver clean && make -C /tango/autodriver",
    "",
)
_LINES = (
    "# The users and folders that Tango expects; jobs run as `autograde`.",
    "RUN useradd autolab && useradd autograde \\",
    " && mkdir -p /home/autolab /home/autograde /home/output \\",
    " && chown autolab:autolab /home/autolab /home/output && chown autograde:autograde /home/autograde",
    "COPY --from=autodriver /tango/autodriver/autodriver /usr/bin/autodriver",
    "RUN chmod ug+s /usr/bin/autodriver",
    "WORKDIR /home",
)


def make_files(assignment: Assignment, settings: Mapping[str, str]) -> list[BundleFile]:
    script = BundleFile("autograde/run.sh", _script(assignment, settings).encode(), True)
    packed = [script, *course_files(assignment, "autograde/course")]
    name = re.sub("[^a-z0-9]", "", assignment.id.lower()) or "assignment"
    image = dockerfile(*_LINES, first=_FIRST, packages=("make",))
    return [
        BundleFile("autograde-Makefile", MAKEFILE.encode()),
        BundleFile("autograde.tar", as_tar(packed)),
        BundleFile(f"{name}.yml", _assessment(assignment, name, settings)),
        *image_files("image/", image),
    ]


def _script(assignment: Assignment, settings: Mapping[str, str]) -> str:
    given = [f"{name}={settings[name]}" for name in ("problem", "maximum") if settings[name]]
    options = "".join(f"--with {shlex.quote(text)} " for text in given)
    problems = [settings["problem"]] if settings["problem"] else assignment.stems
    no_scores = json.dumps({"scores": dict.fromkeys(problems)})
    return RUN.format(options=options, no_scores=shlex.quote(no_scores))


def _assessment(assignment: Assignment, name: str, settings: Mapping[str, str]) -> bytes:
    """`<name>.yml`, with a problem per exercise or the one that the settings name."""
    whole = _number(settings["maximum"]) or assignment.max_score
    factor = whole / assignment.max_score if assignment.max_score else 1.0
    points = {spec.stem: (spec.points * factor, spec.track != "core") for spec in assignment.exercises}
    if settings["problem"]:
        points = {settings["problem"]: (whole, False)}
    fields: dict[str, Any] = {
        "general": {
            "name": name,
            "display_name": assignment.title,
            "handin_filename": "handin.zip",
            "handin_directory": "handin",
            "max_submissions": -1,
            "max_size": 2,
            "category_name": "Homework",
        },
        "problems": [
            {"name": problem, "description": "", "max_score": plain(most), "optional": is_extra}
            for problem, (most, is_extra) in points.items()
        ],
        "autograder": {
            "autograde_timeout": TIMEOUT_S,
            "autograde_image": settings["image"],
            "release_score": True,
        },
    }
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True).encode()


def _number(text: str) -> float | None:
    """A setting that is a number above zero; None if it is not given."""
    try:
        value = float(text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not 0 < value < math.inf:
        raise SettingError(
            f"`maximum` takes a number above zero, got `{printable(text, 80, one_line=True)}`."
        )
    return value


def as_tar(files: list[BundleFile]) -> bytes:
    """A tar file of these files; the same files give the same bytes."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for file in files:
            info = tarfile.TarInfo(file.path)
            info.size = len(file.content)
            info.mode = 0o755 if file.is_executable else 0o644
            archive.addfile(info, io.BytesIO(file.content))
    return made.getvalue()


def attempt(files: list[BundleFile], submission: Path, root: Path) -> Trial:
    """Lay out a job's folder and the image's own files below `root`, and run `make` as Autolab does."""
    job = root / "home" / "autograde"
    hand_in(submission, job)
    unpack(
        moved(files, {"image/src/": "opt/grader/src/", "autograde.tar": "home/autograde/autograde.tar"}), root
    )
    (job / "Makefile").write_text(MAKEFILE)
    ended = run(["make"], job, root)
    log = job / "autograde" / "log.txt"
    said = log.read_text("utf-8", "replace") if log.is_file() else ""
    # Tango keeps both streams in one file: whatever is on the other one is part of what Autolab reads.
    return Trial((ended.stdout + ended.stderr) or None, said, ended.exit_code)


BUNDLE = Bundle(
    "Autolab autograder",
    "autolab.zip",
    make_files,
    attempt,
    settings=(
        Setting("problem", "the one problem that gets the total; without it, one per exercise", default=""),
        Setting("maximum", "points of all problems together", default=""),
        Setting("image", "the image's name in Tango", default="attention-grader"),
    ),
)
