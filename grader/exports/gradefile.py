"""What a grade file is: a module of `gradefiles/` that defines `GRADEFILE`; what it is asked and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from grader.exports.classgrades import ClassGrades, ExportError, Student
from grader.exports.matching import Matching
from grader.printable import printable

MAX_FILE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class ExportRequest:
    """`into` is the file that the LMS exported; `column` names the assignment in it.

    `scale` converts points where the LMS has another maximum, `by_name` lets names decide who is who,
    `comments` fills the file's own column for comments.
    """

    grades: ClassGrades
    into: Path | None = None
    column: str | None = None
    scale: bool = False
    by_name: bool = False
    comments: bool = False

    def read_into(self, what: str) -> bytes:
        """The bytes of the file that the LMS exported.

        Raises:
            ExportError: none was named, or it cannot be read; `what` says in the message what it would be.
        """
        if self.into is None:
            raise ExportError(
                f"This target fills {what}: name that file with --into FILE.",
                hint="It is never made anew: the LMS would make new columns for what it does not know.",
            )
        shown = printable(str(self.into), one_line=True)
        try:
            if self.into.stat().st_size > MAX_FILE_BYTES:
                raise ExportError(f"`{shown}` is larger than {MAX_FILE_BYTES // 2**20} MiB.")
            return self.into.read_bytes()
        except OSError as err:
            raise ExportError(f"`{shown}` cannot be read: {err.strerror}.") from err


class ExportFile(NamedTuple):
    """One file to write; `name` is its name where the user does not choose it."""

    name: str
    content: bytes


class Change(NamedTuple):
    """A cell (or grade) that is changed."""

    who: str
    before: str
    after: str


class Kept(NamedTuple):
    """A grade that is not written, and why, as the end of a sentence."""

    who: str
    reason: str


@dataclass(frozen=True)
class Export:
    """What came of it; nothing is written yet. `same` counts rows that have their grade already."""

    files: tuple[ExportFile, ...]
    matching: Matching
    changes: tuple[Change, ...] = ()
    kept: tuple[Kept, ...] = ()
    same: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GradeFile:
    """One target; `make` raises `ExportError` when nothing can be made."""

    title: str
    make: Callable[[ExportRequest], Export]


def points_for(student: Student, maximum: float | None, *, scale: bool) -> float:
    """The student's points in the LMS's unit; the student has a score.

    Raises:
        ExportError: the LMS has another maximum and `scale` is not asked for.
    """
    points = student.score or 0.0
    if maximum is None or not student.max_score or abs(maximum - student.max_score) < 1e-6:
        return points
    if not scale:
        raise ExportError(
            f"The assignment is worth {maximum:g} points in the LMS and {student.max_score:g} here.",
            hint="Add --scale to convert points, or change the points in the LMS.",
        )
    return points * maximum / student.max_score
