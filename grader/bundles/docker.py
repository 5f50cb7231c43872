"""Docker, Podman or any other engine: an image that grades what is mounted at `/submission`.

The result goes to standard output, so that the container needs no place to write to. The assignment lies in
`/opt/course`, closed to all but root; `grade.sh` holds the flags of `docker run`. Student code gets another
user, for which root keeps two of its capabilities and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.bundles.image import dockerfile, image_files
from grader.bundles.tree import Bundle, BundleFile, Trial, course_files, unpack
from grader.bundles.trial import hand_in, moved, run
from grader.catalog import Assignment

ENTRYPOINT = """\
#!/usr/bin/env bash
# Grades /submission; the result goes to standard output. Arguments are options of `grade submit`.
root="${GRADE_ROOT:-}"
home="$root/opt/grader"
cd "$home" || exit 3
export PYTHONPATH="$home/src" PYTHONDONTWRITEBYTECODE=1
exec "${GRADE_PYTHON:-/usr/local/bin/python3}" -m grader submit \\
    "$root/submission" --assignment "$root/opt/course" --isolation strict -o - "$@"
"""

GRADE = """\
#!/usr/bin/env bash
# ./grade.sh SUBMISSION [options of `grade submit`] > results.json
# The submission must be readable by all: root in the container may read no other user's closed files.
set -euo pipefail
submission="$(realpath "${1:?name a submission}")"
shift
place=/submission
[ -d "$submission" ] || place="/submission/$(basename "$submission")"
exec "${GRADE_ENGINE:-docker}" run --rm --init \\
    --network none --read-only --tmpfs /tmp --pids-limit 512 --memory 4g \\
    --cap-drop ALL --cap-add SETUID --cap-add SETGID --security-opt no-new-privileges \\
    --mount "type=bind,source=$submission,target=$place,readonly" \\
    "${GRADE_IMAGE:-attention-grader}" "$@"
"""

_LINES = (
    "COPY course /opt/course",
    "COPY entrypoint.sh /opt/entrypoint.sh",
    "RUN chmod 700 /opt/course && chmod 755 /opt/entrypoint.sh",
    'ENTRYPOINT ["/opt/entrypoint.sh"]',
)


def make_files(assignment: Assignment, settings: Mapping[str, str]) -> list[BundleFile]:
    return [
        BundleFile("grade.sh", GRADE.encode(), True),
        BundleFile("entrypoint.sh", ENTRYPOINT.encode(), True),
        *image_files("", dockerfile(*_LINES)),
        *course_files(assignment, "course"),
    ]


def attempt(files: list[BundleFile], submission: Path, root: Path) -> Trial:
    """Lay out below `root` what the image holds, and run its entry point."""
    inside = {"src/": "opt/grader/src/", "course/": "opt/course/", "entrypoint.sh": "opt/entrypoint.sh"}
    unpack(moved(files, inside), root)
    (root / "opt" / "course").chmod(0o700)
    hand_in(submission, root / "submission")
    (root / "submission").chmod(0o700)
    ended = run([str(root / "opt" / "entrypoint.sh")], root, root)
    return Trial(ended.stdout or None, ended.stderr, ended.exit_code)


BUNDLE = Bundle("Container image", "attention-grader-image.zip", make_files, attempt)
