"""A student's source as lines of HTML: highlighted, numbered as the student counts them, marked.

The text is hostile: every piece of it goes through `printable` and is escaped, also what Pygments cuts it
into. A source that is too long for Pygments is shown plain.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup, escape
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from grader.printable import printable
from grader.records import SourceText
from grader.report.highlighting import tokens_of
from grader.report.places import line_in, place_of
from grader.report.recent import Recent
from grader.report.schema import CheckResult, Frame

MAX_LINES = 1500  # of a whole source
MAX_LINE = 300  # characters
CONTEXT = 3  # lines before and after a marked one
MAX_KEPT_BYTES = 2 << 20  # of highlighted sources
# The few kinds of tokens that are told apart, and their classes in style.css.
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"), (Keyword, "k"), (Operator.Word, "k"), (String, "s"), (Number, "m"),
    (Name.Function, "f"), (Name.Class, "f"), (Name.Decorator, "f"), (Name.Builtin, "b"),
)  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """Something to say about a line of a source, counted from 1; `text` stands beside it."""

    line: int
    text: str
    kind: str = "error"


@dataclass(frozen=True)
class CodeLine:
    """A line as it is shown. `number` counts as the student does: in a notebook, from the cell's first line.

    `line` counts in the source's text. `in_cell` is the notebook cell of the line; `cell` is the same on the
    first line of a cell and None on all others.
    """

    line: int
    number: int
    html: Markup
    marks: tuple[Mark, ...] = ()
    cell: int | None = None
    in_cell: int | None = None


@dataclass(frozen=True)
class Excerpt:
    """Lines that belong together; `pieces` are runs of lines, with something left out between them."""

    path: str
    pieces: tuple[tuple[CodeLine, ...], ...]
    note: str = ""


def excerpts_of(check: CheckResult, sources: Sequence[SourceText]) -> list[Excerpt]:
    """The lines of a check's frames with those around them, the last one marked as where it went wrong."""
    marks: dict[int, list[Mark]] = {}
    innermost = check.frames[-1] if check.frames else None
    for frame in check.frames:
        found = find_line(frame, sources)
        if found is not None:
            is_last = frame is innermost
            text, kind = ("it stops in this line", "error") if is_last else ("called from here", "caller")
            marks.setdefault(found.source, []).append(Mark(found.line, text, kind))
    return [_excerpt(sources[number], sorted(own, key=_by_line)) for number, own in marks.items()]


def _by_line(mark: Mark) -> int:
    return mark.line


class Found(NamedTuple):
    """The number of a source, and a line in it."""

    source: int
    line: int


def find_line(frame: Frame, sources: Sequence[SourceText]) -> Found | None:
    """Where a frame is, if the same code stands there: no wrong line is ever marked."""
    place, code = place_of(frame), frame.code
    if place is None:
        return None
    for number, source in enumerate(sources):
        line = line_in(source, place)
        if line is not None and (not code or printable(source.code(line), 1000, one_line=True) == code):
            return Found(number, line)
    return None


def _excerpt(source: SourceText, marks: Sequence[Mark]) -> Excerpt:
    last = source.text.count("\n") + 1
    runs: list[range] = []
    for mark in marks:
        around = _around(source, mark.line, last)
        if runs and around.start <= runs[-1].stop:
            runs[-1] = range(runs[-1].start, max(runs[-1].stop, around.stop))
        else:
            runs.append(around)
    lines = code_lines(source, marks)
    pieces = [_without_empty_ends([lines[line - 1] for line in run]) for run in runs]
    return Excerpt(source.path, tuple(tuple(piece) for piece in pieces))


def _around(source: SourceText, line: int, last: int) -> range:
    """The lines near one, in a notebook only those of its cell."""
    near = [
        other
        for other in range(max(1, line - CONTEXT), min(last, line + CONTEXT) + 1)
        if _cell_of(source, other) == _cell_of(source, line)
    ]
    return range(near[0], near[-1] + 1)


def whole(source: SourceText, marks: Iterable[Mark] = (), cells: Sequence[int] = ()) -> Excerpt:
    """The whole source; of a notebook only the `cells` named, if any are."""
    lines = code_lines(source, tuple(marks))
    if cells and source.cells:
        lines = [line for line in lines if _cell_of(source, line.line) in cells]
    lines = list(_without_empty_ends(lines))
    note = f"and {len(lines) - MAX_LINES} more lines" if len(lines) > MAX_LINES else ""
    return Excerpt(source.path, (tuple(lines[:MAX_LINES]),), note)


def _without_empty_ends(lines: Sequence[CodeLine]) -> Sequence[CodeLine]:
    end = len(lines)
    while end and not lines[end - 1].html.strip():
        end -= 1
    return lines[:end]


def _cell_of(source: SourceText, line: int) -> int | None:
    place = source.cells.get(line)
    return None if place is None else place.cell


def code_lines(source: SourceText, marks: Sequence[Mark] = ()) -> list[CodeLine]:
    """Every line of the source; a notebook's count from 1 in every cell."""
    shown: list[CodeLine] = []
    before: int | None = None
    for line, html in enumerate(highlighted(source.text), 1):
        place = source.cells.get(line)
        cell = None if place is None or place.cell == before else place.cell
        before = place.cell if place is not None else before
        own = tuple(mark for mark in marks if mark.line == line)
        in_cell = None if place is None else place.cell
        shown.append(CodeLine(line, place.line if place else line, html, own, cell, in_cell))
    return shown


def _size_of(lines: tuple[Markup, ...]) -> int:
    return sys.getsizeof(lines) + sum(map(sys.getsizeof, lines))


# A page needs those of one submission, some of them for every check.
_highlighted: Recent[tuple[Markup, ...]] = Recent(MAX_KEPT_BYTES, _size_of)


def highlighted(text: str) -> tuple[Markup, ...]:
    """The lines of a Python text as HTML."""
    return _highlighted.get(text, lambda: _highlight(text))


def _highlight(text: str) -> tuple[Markup, ...]:
    lines: list[list[Markup]] = [[]]
    lengths = [0]
    for kind, value in tokens_of(text):
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
                lengths.append(0)
            if piece and lengths[-1] < MAX_LINE:
                lines[-1].append(_token(kind, piece[: MAX_LINE - lengths[-1] + 1]))
                lengths[-1] += len(piece)
                if lengths[-1] > MAX_LINE:
                    lines[-1].append(Markup('<i class="gr-cut"> … the line goes on</i>'))
    return tuple(Markup("").join(line) for line in lines)


def _token(kind: _TokenType, piece: str) -> Markup:
    for family, name in _CLASSES:
        if kind in family:  # type: ignore[comparison-overlap]  # a token is in its family, not a letter in a text
            return Markup('<span class="gr-{}">{}</span>').format(name, _safe(piece))
    return escape(_safe(piece))


def _safe(piece: str) -> str:
    return printable(piece, 4 * MAX_LINE)
