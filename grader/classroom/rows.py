"""One line per submission: what is kept of a report when a whole class is looked at."""

from __future__ import annotations

import hashlib
import sys
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.report.schema import ExerciseResult, Report, ReportStatus


@dataclass(frozen=True, slots=True)
class Points:
    """`score` is None when the grader failed."""

    score: float | None
    max_score: float


@dataclass(frozen=True, slots=True)
class Row:
    """`lost` has the outcome of every check not passed; `files`, `suites` and `grader` tell versions apart.

    `files` is a digest of all submitted files, empty for a rejected submission.
    """

    id: str
    status: ReportStatus
    reason: str
    score: float | None
    max_score: float
    exercises: Mapping[str, Points] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)
    files: str = ""
    suites: str = ""
    grader: str = ""


class Rows:
    """Makes the rows of a class. What is equal in many of them is there once, so that a row is small.

    Most exercises end alike for most of a class, and an extension that nobody began loses all its checks.
    """

    def __init__(self) -> None:
        self._points: dict[Points, Points] = {}
        self._lost: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}

    def row_of(self, report: Report) -> Row:
        exercises = report.exercises
        # A ChainMap goes through its last part first.
        lost = ChainMap(*(self._lost_of(exercise) for exercise in reversed(exercises)))
        return Row(
            id=report.submission.id,
            status=report.status,
            reason=report.status_reason or "",
            score=report.score,
            max_score=report.max_score,
            exercises={sys.intern(one.stem): self._points_of(one) for one in exercises},
            lost=lost,
            files=files_digest(report),
            suites=sys.intern(report.assignment.digest),
            grader=sys.intern(report.environment.grader),
        )

    def _points_of(self, exercise: ExerciseResult) -> Points:
        points = Points(exercise.score, exercise.max_score)
        return self._points.setdefault(points, points)

    def _lost_of(self, exercise: ExerciseResult) -> dict[str, str]:
        lost = tuple((check.id, check.outcome) for check in exercise.checks if check.outcome != "passed")
        found = self._lost.get(lost)
        if found is None:
            found = self._lost[lost] = dict(lost)
        return found


def files_digest(report: Report) -> str:
    """One digest of the names and digests of all submitted files; empty if none was read."""
    files = report.submission.files
    if not files:
        return ""
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path):
        digest.update(f"{file.path}\0{file.sha256}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
