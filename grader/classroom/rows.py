"""One line per submission: what is kept of a report when a whole class is looked at."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.report.schema import Report, ReportStatus


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


def row_of(report: Report) -> Row:
    # Names of checks are the same all over the class: with one copy of each, a row is small.
    lost = {
        sys.intern(check.id): sys.intern(check.outcome)
        for exercise in report.exercises
        for check in exercise.checks
        if check.outcome != "passed"
    }
    return Row(
        id=report.submission.id,
        status=report.status,
        reason=report.status_reason or "",
        score=report.score,
        max_score=report.max_score,
        exercises={sys.intern(e.stem): Points(e.score, e.max_score) for e in report.exercises},
        lost=lost,
        files=files_digest(report),
        suites=sys.intern(report.assignment.digest),
        grader=sys.intern(report.environment.grader),
    )


def files_digest(report: Report) -> str:
    """One digest of the names and digests of all submitted files; empty if none was read."""
    files = report.submission.files
    if not files:
        return ""
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path):
        digest.update(f"{file.path}\0{file.sha256}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
