"""The grades of a class, read from the folder of a batch: who, what counts, and what has no grade.

Who is who comes from `summary.json`; what counts is the gradebook's answer, with a person's changes in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.records import Identity
from grader.errors import GraderError
from grader.printable import printable
from grader.records import Audience
from grader.report.remarks import Remarks, with_remarks
from grader.report.schema import Report

# The student's own HTML page, where the batch made one.
FEEDBACK_FOLDER = "feedback"


class ExportError(GraderError):
    """A grade file cannot be made; nothing was written."""


@dataclass(frozen=True)
class Student:
    """One person and the grade that counts. `score` is None when there is none; `why_not` then says why.

    `remark` is for people: changed by staff, or from before a run that failed. `label` is the name of the
    submission where nothing else is known of its student.
    """

    submission: str
    identity: Identity
    score: float | None
    max_score: float
    exercises: Mapping[str, float | None] = field(default_factory=dict)
    why_not: str = ""
    remark: str = ""

    @property
    def shown(self) -> str:
        name = self.identity.shown
        return f"{name} ({self.submission})" if name and name != self.submission else self.submission


@dataclass(frozen=True)
class ClassGrades:
    """All students of a batch, and what staff says to them by submission. `assignment` is its id.

    `stems` are its exercises in the order of the assignment.
    """

    folder: BatchFolder
    settings: BatchSettings
    students: tuple[Student, ...]
    remarks: Mapping[str, Remarks] = field(default_factory=dict)
    stems: tuple[str, ...] = ()

    @property
    def assignment(self) -> str:
        return self.settings.assignment

    def report(self, submission: str) -> Report | None:
        """The result file of a submission, for its student; None if there is none to read."""
        from grader.report.audience import for_audience

        stored = self.folder.stored(submission)
        audience: Audience = "student"
        return for_audience(stored.report, audience) if stored and stored.report else None

    def page(self, submission: str) -> bytes | None:
        """The student's HTML page with what staff says at its head; None if the batch made none."""
        path = self.folder.page_path(submission)
        if not path.is_file():
            return None
        content, report = path.read_bytes(), self.report(submission)
        if report is None:
            return content
        page = content.decode("utf-8", "surrogateescape")
        return with_remarks(page, self.remarks.get(submission), report).encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class _Counting:
    """What counts for one submission."""

    status: str
    score: float | None
    max_score: float
    exercises: Mapping[str, float | None]
    remark: str = ""


class _Book(NamedTuple):
    """What a gradebook says, by submission."""

    counting: Mapping[str, _Counting]
    remarks: Mapping[str, Remarks]


def read_class(path: Path, database: str | None = None) -> ClassGrades:
    """The class whose batch lies in the folder `path`; `database` is the URL that it was kept in, if any.

    Raises:
        ExportError: it is no batch's folder, or the batch was never brought to an end.
        FolderError, GradebookError: its files cannot be read.
    """
    folder = BatchFolder(path)
    shown = printable(str(path), one_line=True)
    settings = folder.read_settings()
    if settings is None:
        raise ExportError(f"`{shown}` holds no batch.", hint="Grade a class with `grade batch` first.")
    try:
        summary = json.loads(folder.summary.read_bytes())
        entries = list(summary["submissions"])
        stems = tuple(str(one["stem"]) for one in summary.get("exercises", ()))
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise ExportError(
            f"`{shown}` has no readable summary.json.", hint=f"Run `grade batch -o {shown}` once more."
        ) from err
    book = _from_gradebook(folder, settings, database)
    counting = None if book is None else book.counting
    students = [student for entry in entries for student in _students(entry, counting)]
    return ClassGrades(folder, settings, tuple(students), {} if book is None else book.remarks, stems)


def _from_gradebook(folder: BatchFolder, settings: BatchSettings, database: str | None) -> _Book | None:
    """What counts by submission; None if the batch has no gradebook."""
    if database is None and not folder.gradebook.is_file():
        return None
    from grader.classroom.gradebook import open_database
    from grader.classroom.gradebook.counting import read_grades
    from grader.classroom.gradebook.transactions import connected
    from grader.classroom.publishing import grade_note, read_remarks

    with open_database(database or folder.gradebook) as engine, connected(engine) as connection:
        grades = read_grades(connection, settings.id)
        remarks = read_remarks(connection, settings.id, grades)
    counting = {
        grade.submission: _Counting(
            grade.status, grade.score, grade.max_score, grade.exercises, grade_note(grade)
        )
        for grade in grades
    }
    return _Book(counting, remarks)


def _students(entry: Mapping[str, Any], counting: Mapping[str, _Counting] | None) -> Iterator[Student]:
    """Everybody who gets this submission's grade: its student, or each member of its group."""
    counts = _from_summary(entry) if counting is None else counting.get(entry["id"])
    if counts is None:
        counts = _Counting("not_graded_yet", None, 0.0, {})
    why_not = _why_not(counts)
    for person in entry["group"] or [entry["student"]]:
        yield Student(
            submission=entry["id"],
            identity=Identity(**person),
            score=None if why_not else counts.score,
            max_score=counts.max_score,
            exercises=counts.exercises,
            why_not=why_not,
            remark=counts.remark,
        )


def _from_summary(entry: Mapping[str, Any]) -> _Counting:
    points = entry.get("exercises", {})
    return _Counting(
        status=entry["status"],
        score=entry.get("score"),
        max_score=entry.get("max_score", 0.0),
        exercises={stem: part["score"] for stem, part in points.items()},
    )


def _why_not(counts: _Counting) -> str:
    if counts.status == "not_graded_yet":
        return "not graded yet"
    if counts.score is None:
        return "needs a regrade"
    return "only a practice score" if counts.status == "practice" else ""
