"""GitHub Actions: a workflow for students' repositories, and one for a private repository of the staff.

Everything in a workflow that runs in a student's repository can be read by the student. So `student/` holds
the handout's public checks only and gives practice scores; `staff/` holds the references and hidden suites,
and grades a repository that staff name.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from grader.bundles.image import PYTHON_VERSION, TORCH_INDEX
from grader.bundles.tree import (
    Bundle,
    BundleFile,
    Trial,
    course_files,
    grader_files,
    handout_files,
    pinned_requirements,
    unpack,
)
from grader.bundles.trial import hand_in, moved, read_document, run
from grader.catalog import Assignment
from grader.exports.targets import Setting

PLACE = ".github/grader"
STUDENT, STAFF = "student", "staff"
SUBMISSION = "submission"  # where the staff's workflow checks a student's repository out

ON_PUSH = "on:\n  push:\n  workflow_dispatch:\n"
ON_DEMAND = """\
on:
  workflow_dispatch:
    inputs:
      repository:
        description: owner/name of the student's repository
        required: true
        type: string
      ref:
        description: branch, tag or commit; empty for the default branch
        required: false
        type: string
"""
# The token reaches this step only; no later step and no student code can see it.
CHECK_OUT_STUDENT = """\
      - uses: actions/checkout@v4
        with:
          repository: ${{ inputs.repository }}
          ref: ${{ inputs.ref }}
          token: ${{ secrets.STUDENT_REPOSITORIES }}
          path: submission
          persist-credentials: false
"""
WORKFLOW = """\
name: Grade
@ON@permissions:
  contents: read
jobs:
  grade:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
@STUDENT@      - uses: actions/setup-python@v5
        with:
          python-version: "@PYTHON@"
          cache: pip
          cache-dependency-path: @PLACE@/requirements.txt
      - run: pip install --extra-index-url @INDEX@ -r @PLACE@/requirements.txt
      - run: bash @PLACE@/run.sh
"""
# The grader's folder is the current one, so that no file of a student is found by an import.
RUN = """\
#!/usr/bin/env bash
# Nothing but the grader's own commands may be printed: a line of a student could be one.
submission=@SUBMISSION@
home="$GITHUB_WORKSPACE/@PLACE@"
cd "$home" || exit 3
export PYTHONPATH="$home/src" PYTHONDONTWRITEBYTECODE=1
exec "${GRADE_PYTHON:-python3}" -m grader submit \\
    "$GITHUB_WORKSPACE/$submission" --assignment "$home/course" --isolation strict \\
    --format github --with root="$submission"
"""


def make_files(assignment: Assignment, settings: Mapping[str, str]) -> list[BundleFile]:
    path = settings["path"]
    made = [*_repository(STUDENT, ON_PUSH, "", path), *handout_files(assignment, f"{STUDENT}/{PLACE}/course")]
    if assignment.has_staff_parts:
        inside = SUBMISSION if path == "." else f"{SUBMISSION}/{path}"
        made += _repository(STAFF, ON_DEMAND, CHECK_OUT_STUDENT, inside)
        made += course_files(assignment, f"{STAFF}/{PLACE}/course")
    return made


def _repository(name: str, trigger: str, check_out: str, submission: str) -> list[BundleFile]:
    """The files of one repository but for the assignment; `submission` is seen from its root."""
    words = {
        "@ON@": trigger,
        "@STUDENT@": check_out,
        "@PYTHON@": PYTHON_VERSION,
        "@PLACE@": PLACE,
        "@INDEX@": TORCH_INDEX,
        "@SUBMISSION@": shlex.quote(submission),
    }
    workflow, script = WORKFLOW, RUN
    for word, text in words.items():
        workflow, script = workflow.replace(word, text), script.replace(word, text)
    return [
        BundleFile(f"{name}/.github/workflows/grade.yml", workflow.encode()),
        BundleFile(f"{name}/{PLACE}/run.sh", script.encode(), True),
        BundleFile(f"{name}/{PLACE}/requirements.txt", pinned_requirements()),
        *grader_files(f"{name}/{PLACE}/src"),
    ]


def attempt(files: list[BundleFile], submission: Path, root: Path) -> Trial:
    """Run the last step of the staff's workflow, or of the student's where there are no staff parts."""
    has_staff = any(file.path.startswith(f"{STAFF}/") for file in files)
    return attempt_in(STAFF if has_staff else STUDENT, files, submission, root)


def attempt_in(name: str, files: list[BundleFile], submission: Path, root: Path) -> Trial:
    """Run the last step of the workflow of the repository `name`."""
    workspace = root / "workspace"
    hand_in(submission, workspace / SUBMISSION if name == STAFF else workspace)
    unpack(moved(files, {f"{name}/": ""}), workspace)
    summary, output = root / "summary.md", root / "output.txt"
    variables = {
        "GITHUB_WORKSPACE": str(workspace),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(output),
    }
    ended = run(["bash", f"{PLACE}/run.sh"], workspace, root, variables)
    said = [ended.stderr, read_document(summary) or "", read_document(output) or ""]
    return Trial(ended.stdout or None, "\n".join(said), ended.exit_code)


BUNDLE = Bundle(
    "GitHub Actions workflows",
    "github.zip",
    make_files,
    attempt,
    settings=(Setting("path", "the submission's folder in a student's repository", default="."),),
)
