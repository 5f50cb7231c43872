"""What travels from step to step: frozen records, each made by one step and read by later ones.

`Submission` is made by `load`, `SuiteRun` by `suite`, `Report` (in `grader.report.schema`) by `score`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from grader.pictures import Picture

Audience = Literal["student", "staff"]
Visibility = Literal["public", "hidden"]
# The cases of a check that runs on the CPU and again on another device.
DEVICE_CASES = ("cpu", "device")


@dataclass(frozen=True)
class Note:
    """One remark about a submission, for people; never worth points."""

    text: str
    path: str = ""
    line: int | None = None
    audience: Audience = "student"


@dataclass(frozen=True)
class CellLine:
    """Where a line of an assembled notebook comes from; both count from 1."""

    cell: int
    line: int


@dataclass(frozen=True)
class SourceText:
    """Python text of one module of a submission, ready for a worker to compile.

    `text` is what runs first. `definitions` is the same with only definitions, imports and simple
    constants left (line numbers unchanged): it runs when `text` fails at import or takes too long; None
    when there is nothing to fall back to. `cells` maps a line number of `text` (from 1) to its notebook
    cell, and is empty for a .py file. `left_out` says what `definitions` dropped, in sentences.
    """

    module: str
    path: str
    text: str
    definitions: str | None = None
    cells: Mapping[int, CellLine] = field(default_factory=dict)
    left_out: tuple[Note, ...] = ()

    def where(self, line: int) -> str:
        """A place as a person would say it: "`a.ipynb` cell 7, line 3" or "`a.py` line 3"."""
        cell = self.cells.get(line)
        if cell is not None:
            return f"`{self.path}` cell {cell.cell}, line {cell.line}"
        return f"`{self.path}` line {line}"

    def code(self, line: int) -> str:
        """The code on that line (counted from 1), stripped; empty if there is none."""
        lines = self.text.split("\n")  # as Python counts them; `splitlines` knows more line ends
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""


@dataclass(frozen=True)
class Problem:
    """Why an exercise of a submission is not run at all."""

    outcome: Literal["missing", "not_attempted", "raised"]
    message: str
    hint: str = ""


@dataclass(frozen=True)
class ExerciseSource:
    """What a submission says about one exercise. Exactly one of `source` and `problem` is set."""

    stem: str
    source: SourceText | None = None
    problem: Problem | None = None


@dataclass(frozen=True)
class SubmittedFile:
    path: str
    sha256: str


@dataclass(frozen=True)
class Submission:
    """Everything we know of a submission without having run a line of it.

    `modules` are all readable Python files by module name (a file per stem and any further ones), so
    that they can import each other; `exercises` has one entry per exercise of the assignment.
    """

    id: str
    root: str
    files: tuple[SubmittedFile, ...]
    exercises: Mapping[str, ExerciseSource]
    modules: Mapping[str, SourceText]
    notes: tuple[Note, ...] = ()

    @property
    def sources(self) -> tuple[SourceText, ...]:
        """Every text that was read, once; those that answer an exercise first."""
        own = [entry.source for entry in self.exercises.values() if entry.source is not None]
        by_text = {(source.path, source.text): source for source in [*own, *self.modules.values()]}
        return tuple(by_text.values())


@dataclass(frozen=True)
class SuiteRun:
    """What the judge brought back for one submission: pytest's JSON report and what only we know."""

    pytest_report: Mapping[str, Any]
    environment: Mapping[str, Any]
    exercises: Mapping[str, ExerciseRun]
    timings: Mapping[str, float]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class ExerciseRun:
    """How the workers of one exercise fared, beside its checks.

    `pictures` only where they were asked for; `no_picture` says in a sentence why there are none.
    """

    stem: str
    stdout: str = ""
    follow_through: bool = False
    used_definitions: bool = False
    notes: tuple[Note, ...] = ()
    pictures: tuple[Picture, ...] = ()
    no_picture: str = ""
