"""Gradescope: the autograder zip, with `setup.sh` and `run_autograder` at its root.

In the container everything is under `/autograder` and runs as root; the grader gives student code another
user, who cannot enter `source` (the assignment) or `results`. What that user must read, the grader's and
torch's own files, lies in `/opt/grader`. `GRADE_ROOT` puts all of it below another folder, to try it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from grader.bundles.image import PYTHON_VERSION
from grader.bundles.tree import (
    Bundle,
    BundleError,
    BundleFile,
    Trial,
    course_files,
    grader_files,
    pinned_requirements,
    unpack,
)
from grader.bundles.trial import hand_in, read_document, run
from grader.catalog import Assignment

SETUP = """\
#!/usr/bin/env bash
# Runs once, when the image is built.
set -euo pipefail
root="${GRADE_ROOT:-}"
source="$root/autograder/source"
home="$root/opt/grader"

mkdir -p "$home"
chmod 755 "$root/opt" "$home"
if [ -z "${GRADE_PYTHON:-}" ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install -y --no-install-recommends python3 python3-venv libseccomp2
    # The pins were made with this Python; the image's own is often older, and has to stay as it is.
    python3 -m venv "$home/uv"
    "$home/uv/bin/pip" install --no-cache-dir uv
    UV_PYTHON_INSTALL_DIR="$home/python" "$home/uv/bin/uv" venv --seed --python @PYTHON@ "$home/venv"
    "$home/venv/bin/pip" install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu \\
        -r "$source/requirements.txt"
fi
rm -rf "$home/src"
cp -r "$source/src" "$home/src"
chmod -R a+rX "$home/src"
"""

RUN = """\
#!/usr/bin/env bash
# Runs once per submission, as root. Student code gets another user, who can enter none of these folders.
root="${GRADE_ROOT:-}"
base="$root/autograder"
home="$root/opt/grader"

mkdir -p "$base/results"
chmod 711 "$base"
chmod 700 "$base/source" "$base/results" "$base/submission"
rm -f "$base/results/results.json"
umask 077
cd "$home" || exit 1
PYTHONPATH="$home/src" PYTHONDONTWRITEBYTECODE=1 "${GRADE_PYTHON:-$home/venv/bin/python}" -m grader submit \\
    "$base/submission" --assignment "$base/source/course" --isolation strict \\
    --format gradescope -o "$base/results/results.json"
"""


def make_files(assignment: Assignment, settings: Mapping[str, str]) -> list[BundleFile]:
    return [
        BundleFile("setup.sh", SETUP.replace("@PYTHON@", PYTHON_VERSION).encode(), True),
        BundleFile("run_autograder", RUN.encode(), True),
        BundleFile("requirements.txt", pinned_requirements()),
        *grader_files("src"),
        *course_files(assignment, "course"),
    ]


def attempt(files: list[BundleFile], submission: Path, root: Path) -> Trial:
    """Build the tree below `root`, set it up with the packages of this Python, and grade one submission.

    Raises:
        BundleError: the set-up failed, or the run took longer than Gradescope allows.
    """
    base = root / "autograder"
    source = base / "source"
    source.mkdir(parents=True)
    unpack(files, source)
    shutil.copy2(source / "run_autograder", base / "run_autograder")
    hand_in(submission, base / "submission")
    built = run(["bash", str(source / "setup.sh")], root, root)
    if built.exit_code:
        raise BundleError(f"setup.sh ended with exit code {built.exit_code}: {built.output[-2000:]}")
    ended = run([str(base / "run_autograder")], base, root)
    return Trial(read_document(base / "results" / "results.json"), ended.output, ended.exit_code)


BUNDLE = Bundle("Gradescope autograder zip", "autograder.zip", make_files, attempt)
