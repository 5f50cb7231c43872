from __future__ import annotations

import subprocess
import sys
from typing import Any

from grader.catalog import Assignment
from grader.score import needs_regrade_report, rejected_report


def test_rejected_submission_has_zero_points_and_a_reason(assignment: Assignment) -> None:
    report = rejected_report(assignment, "`a.zip` is damaged.", submission_id="a.zip")
    assert (report.status, report.score, report.max_score) == ("rejected", 0.0, 10.0)
    assert report.status_reason == "`a.zip` is damaged."
    assert report.submission.id == "a.zip"
    assert {exercise.status for exercise in report.exercises} == {"missing"}


def test_failure_of_ours_has_no_score_at_all(assignment: Assignment) -> None:
    report = needs_regrade_report(assignment, "The judge died.", seed=3)
    assert (report.status, report.score, report.max_score, report.seed) == ("needs_regrade", None, 10.0, 3)
    assert [exercise.score for exercise in report.exercises] == [None, None, None]


def test_known_submission_and_choice_of_exercises_are_kept(build: Any) -> None:
    report = needs_regrade_report(
        build.assignment, "Died.", submission=build.submission(), exercises=("alpha",)
    )
    assert (report.submission.id, len(report.submission.files)) == ("sub", 1)
    assert [exercise.stem for exercise in report.exercises] == ["alpha"]
    assert report.max_score == 6.0


def test_a_report_without_a_run_imports_no_torch(assignment: Assignment) -> None:
    code = (
        "import sys; from pathlib import Path; from grader.catalog import read_assignment; "
        "from grader.score import rejected_report; "
        f"rejected_report(read_assignment(Path({str(assignment.root)!r})), 'No.'); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
