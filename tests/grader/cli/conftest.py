"""The command line with a pretended pipeline: what it is asked and what it answers are a test's choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import grader.pipeline
from grader.__main__ import main
from grader.catalog import Assignment
from grader.report.schema import Report
from grader.score import rejected_report

TOML = """
id = "tiny"
title = "A tiny assignment"
[[exercises]]
stem = "masked_softmax"
title = "Masked softmax"
points = 6
symbols = ["masked_softmax"]
[[exercises]]
stem = "positional_encoding"
title = "Positional encoding"
points = 4
symbols = ["PositionalEncoding"]
"""


def graded(assignment: Assignment, score: float) -> Report:
    """A graded report with one check per exercise; the first exercise earns `score`."""
    fields = rejected_report(assignment, "?", started_at=datetime.now(timezone.utc)).model_dump()
    del fields["status_reason"]
    for exercise, earned in zip(fields["exercises"], (score, 0.0), strict=True):
        check = {
            "id": f"{exercise['stem']}::test_all",
            "title": "All is right.",
            "visibility": "hidden",
            "outcome": "passed" if earned else "failed",
            "score": earned,
            "max_score": exercise["max_score"],
            "staff_message": "For staff.",
        }
        exercise |= {"checks": [check], "score": earned, "status": "partial" if earned else "failed"}
    return Report.model_validate({**fields, "status": "graded", "score": score})


@dataclass
class Pipeline:
    """Stands in for `grader.pipeline`; `answer` makes a report or raises."""

    answer: Callable[[Assignment], Report] = lambda assignment: graded(assignment, 6.0)
    timings: Mapping[str, float] = field(default_factory=lambda: {"start": 0.5, "suite": 0.25})
    calls: list[tuple[Path, Assignment, Any]] = field(default_factory=list)

    def grade_submission(self, path: Path, assignment: Assignment, options: Any) -> Any:
        self.calls.append((path, assignment, options))
        return grader.pipeline.GradeResult(report=self.answer(assignment), timings=self.timings)


@dataclass(frozen=True)
class Ended:
    """How a call of `grade` ended."""

    code: int
    out: str
    err: str


Grade = Callable[..., Ended]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an assignment and two submissions, and the current folder of the test."""
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "assignment.toml").write_text(TOML)
    (tmp_path / "homework.py").write_text("")
    (tmp_path / "solutions").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    return tmp_path


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    stand_in = Pipeline()
    monkeypatch.setattr(grader.pipeline, "grade_submission", stand_in.grade_submission)
    return stand_in


@pytest.fixture
def grade(course: Path, pipeline: Pipeline, capfdbinary: pytest.CaptureFixture[bytes]) -> Grade:
    def call(*arguments: str) -> Ended:
        code = main(arguments)
        out, err = capfdbinary.readouterr()
        return Ended(code, out.decode(), err.decode())

    return call
