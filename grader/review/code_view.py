"""A submission's code as lines: coloured, with what failed on a line and what was said about it beneath."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup
from pygments.token import STANDARD_TYPES

from grader.classroom.gradebook import Comment
from grader.printable import printable
from grader.records import CellLine
from grader.report.highlighting import tokens_of
from grader.report.schema import CheckResult, Report
from grader.review.desk_records import SourceFile, Sources

_LONGEST_LINE = 2000
_PLACE = re.compile(r"`(?P<path>.+)`(?: cell (?P<cell>\d+),)? line (?P<line>\d+)")
Faults = Mapping[tuple[str, int, int], Sequence[CheckResult]]


@dataclass(frozen=True)
class Fault:
    """What went wrong on a line, and for which checks."""

    titles: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class CodeLine:
    """`number` counts lines of the shown text; `place` is what stands beside it, e.g. `7:3` for a cell."""

    number: int
    place: str
    markup: Markup
    faults: tuple[Fault, ...] = ()
    comments: tuple[Comment, ...] = ()


@dataclass(frozen=True)
class CodeFile:
    """`key` is unique on the page, safe in an address; `stray` are comments on lines that are not there."""

    key: str
    file: SourceFile
    lines: tuple[CodeLine, ...]
    stray: tuple[Comment, ...] = ()


def view_code(sources: Sources, report: Report | None, comments: Sequence[Comment]) -> tuple[CodeFile, ...]:
    """All files, each with what belongs to its lines."""
    faults = _faults(report)
    return tuple(
        _view_file(f"f{number}", file, faults, [one for one in comments if one.path == file.path])
        for number, file in enumerate(sources.files, 1)
    )


def _view_file(key: str, file: SourceFile, faults: Faults, comments: list[Comment]) -> CodeFile:
    said: dict[int, list[Comment]] = {}
    for one in comments:
        said.setdefault(one.line or 0, []).append(one)
    lines = []
    shown = file.lines[:-1] if file.lines[-1:] == ("",) else file.lines  # the end of the last line is no line
    for number, markup in enumerate(_coloured(shown) if shown else (), 1):
        cell = file.places.get(number)
        wrong = faults.get((file.path, cell.cell if cell else 0, cell.line if cell else number), [])
        about = tuple(said.pop(number, ()))
        lines.append(CodeLine(number, _place(number, cell), markup, _grouped(wrong), about))
    stray = tuple(one for group in said.values() for one in group)
    return CodeFile(key, file, tuple(lines), stray)


def _place(number: int, cell: CellLine | None) -> str:
    return f"{cell.cell}:{cell.line}" if cell else str(number)


def _grouped(checks: Sequence[CheckResult]) -> tuple[Fault, ...]:
    """One fault for all checks that say the same."""
    titles: dict[str, list[str]] = {}
    for check in checks:
        titles.setdefault((check.message or "").split("\n")[0], []).append(check.title)
    return tuple(Fault(tuple(those), message) for message, those in titles.items())


def _faults(report: Report | None) -> Faults:
    """What is not passed by path, cell (0: none) and line; the innermost line of each check."""
    found: dict[tuple[str, int, int], list[CheckResult]] = {}
    for exercise in report.exercises if report else ():
        for check in exercise.checks:
            match = _PLACE.fullmatch(check.frames[-1].where) if check.frames else None
            if match is not None and check.outcome != "passed":
                key = match["path"], int(match["cell"] or 0), int(match["line"])
                found.setdefault(key, []).append(check)
    return found


def _coloured(lines: Sequence[str]) -> Iterator[Markup]:
    """Each line as markup: what it says in visible characters, in spans of pygments' classes."""
    parts: list[Markup] = []
    for token, value in tokens_of("\n".join(lines)):
        name = STANDARD_TYPES.get(token, "")
        for at, piece in enumerate(value.split("\n")):
            if at:
                yield Markup("").join(parts)
                parts = []
            if piece:
                safe = printable(piece, _LONGEST_LINE)
                parts.append(
                    Markup('<span class="{}">{}</span>').format(name, safe) if name else Markup.escape(safe)
                )
    yield Markup("").join(parts)
