"""Lines of the student's own code, as a report names them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.records import SourceText
from grader.report.schema import CheckResult, Frame

_PLACE = re.compile(r"`(?P<path>.+)` (?:cell (?P<cell>\d+), )?line (?P<line>\d+)")


@dataclass(frozen=True)
class Place:
    """A line of the student's own code, counted from 1; of a notebook, the line of a cell."""

    path: str
    line: int
    cell: int | None = None


def place_of(frame: Frame) -> Place | None:
    """Where a frame is; None if its text names no line."""
    match = _PLACE.fullmatch(frame.where)
    if match is None:
        return None
    return Place(match["path"], int(match["line"]), int(match["cell"]) if match["cell"] else None)


def places_of(check: CheckResult) -> Iterator[Place]:
    """The lines that ran when a check went wrong, outermost first."""
    yield from (place for place in map(place_of, check.frames) if place is not None)


def line_in(source: SourceText, place: Place) -> int | None:
    """The line of `source.text`, from 1, that a place names; None if it lies elsewhere."""
    if place.path != source.path:
        return None
    if place.cell is None:
        return place.line if place.line <= source.text.count("\n") + 1 else None
    wanted = (place.cell, place.line)
    return next((line for line, cell in source.cells.items() if (cell.cell, cell.line) == wanted), None)
