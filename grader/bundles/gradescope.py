"""Gradescope: the autograder zip, with `setup.sh` and `run_autograder` at its root.

In the container everything is under `/autograder` and runs as root; the grader gives student code another
user, who cannot enter `source` (the assignment) or `results`. What that user must read, the grader's and
torch's own files, lies in `/opt/grader`. `GRADE_ROOT` puts all of it below another folder, to try it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

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
from grader.catalog import Assignment

TRIAL_TIMEOUT_S = 600  # Gradescope's own default

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
    python3 -m venv "$home/venv"
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


def make_files(assignment: Assignment) -> list[BundleFile]:
    return [
        BundleFile("setup.sh", SETUP.encode(), True),
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
    root.chmod(0o711)  # the student's user must get through to /opt/grader
    unpack(files, source)
    shutil.copy2(source / "run_autograder", base / "run_autograder")
    _hand_in(submission, base / "submission")
    environment = {**os.environ, "GRADE_ROOT": str(root), "GRADE_PYTHON": sys.executable}
    environment.pop("GRADE_ASSIGNMENT", None)
    try:
        built = _run(["bash", str(source / "setup.sh")], root, environment)
        if built.returncode:
            raise BundleError(f"setup.sh ended with exit code {built.returncode}: {built.stdout[-2000:]}")
        ended = _run([str(base / "run_autograder")], base, environment)
    except subprocess.TimeoutExpired as err:
        raise BundleError(f"The trial took longer than {TRIAL_TIMEOUT_S} s.") from err
    results = base / "results" / "results.json"
    document = results.read_text("utf-8") if results.is_file() else None
    return Trial(document, ended.stdout, ended.returncode)


def _hand_in(submission: Path, folder: Path) -> None:
    if submission.is_dir():
        shutil.copytree(submission, folder)
    else:
        folder.mkdir()
        shutil.copy(submission, folder / submission.name)


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="backslashreplace",
        timeout=TRIAL_TIMEOUT_S,
        check=False,
    )


BUNDLE = Bundle("Gradescope autograder zip", "autograder.zip", make_files, attempt)
