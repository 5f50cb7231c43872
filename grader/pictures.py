"""Pictures of what a student's code computes: frozen records, small, made of rounded numbers and text.

They travel from the judge to the report and are drawn only there. A row of numbers is one text, such as
"0.25 nan -1": it keeps what JSON has no number for, and a matrix stays readable in results.json.
Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union

MAX_PICTURES = 8  # of one exercise
MAX_NUMBERS = 4000  # in one picture
MAX_SIDE = 128  # rows or columns of a matrix, points of a curve
MAX_PARTS = 12  # rows of heatmaps, or curves
MAX_TEXT = 600  # characters

Row = str
Matrix = tuple[Row, ...]
Role = Literal["student", "expected", "truth", "given"]
_NUMBER = r"(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|-?inf)"
_ROW = re.compile(rf"{_NUMBER}(?: {_NUMBER})*")
_FLAGS = re.compile(r"[01]+")


def numbers(row: Row) -> tuple[float, ...]:
    """The numbers of a row, nan and inf among them."""
    return tuple(map(float, row.split(" ")))


@dataclass(frozen=True)
class HeatmapRow:
    """The student's matrix, and the one that the reference computes from the same inputs.

    With `is_same` they agree as far as one could see, and `expected` is left out; it is also None where there
    is no reference. `masked` has a text of 0 and 1 per row: 1 is a cell that must get no weight.
    """

    label: str
    student: Matrix
    expected: Matrix | None = None
    masked: Matrix | None = None
    is_same: bool = False

    def __post_init__(self) -> None:
        _check_text(self.label)
        shapes = {_shape(matrix) for matrix in (self.student, self.expected) if matrix is not None}
        if self.masked is not None:
            shapes.add(_mask_shape(self.masked))
        if len(shapes) != 1:
            raise ValueError(f"the matrices of one row differ in shape: {sorted(shapes)}")

    @property
    def compared(self) -> Matrix | None:
        """What the student's matrix is shown beside; None where there is no reference."""
        return self.student if self.is_same else self.expected


@dataclass(frozen=True)
class Heatmaps:
    """Rows of matrices under one colour scale. `summary` says in a sentence what there is to see."""

    title: str
    alt: str
    rows: tuple[HeatmapRow, ...]
    summary: str = ""
    xlabel: str = "Keys"
    ylabel: str = "Queries"
    kind: Literal["heatmaps"] = "heatmaps"

    def __post_init__(self) -> None:
        for text in (self.title, self.alt, self.summary, self.xlabel, self.ylabel):
            _check_text(text)
        sizes = [_size(m) for row in self.rows for m in (row.student, row.expected) if m is not None]
        _check_amount(len(self.rows), sum(sizes))


@dataclass(frozen=True)
class Curve:
    """One line, or points if its role is `given`. Curves of one `group` share a colour."""

    label: str
    x: Row
    y: Row
    role: Role = "student"
    group: str = ""

    def __post_init__(self) -> None:
        _check_text(self.label)
        _check_text(self.group)
        if _shape((self.x,)) != _shape((self.y,)):
            raise ValueError(f"the curve `{self.label}` has not as many x as y")


@dataclass(frozen=True)
class Curves:
    """Curves and points in one pair of axes; x is whole-numbered with `counts`."""

    title: str
    alt: str
    curves: tuple[Curve, ...]
    summary: str = ""
    xlabel: str = "x"
    ylabel: str = "y"
    counts: bool = False
    kind: Literal["curves"] = "curves"

    def __post_init__(self) -> None:
        for text in (self.title, self.alt, self.summary, self.xlabel, self.ylabel):
            _check_text(text)
        _check_amount(len(self.curves), sum(2 * _size((curve.x,)) for curve in self.curves))


Picture = Union[Heatmaps, Curves]  # noqa: UP007  # read at run time by pydantic, in Python 3.10 too


def picture_from_json(record: Mapping[str, Any]) -> Picture:
    """The picture that `dataclasses.asdict` made a mapping of.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    fields = dict(record)
    if fields["kind"] == "curves":
        return Curves(**{**fields, "curves": tuple(Curve(**curve) for curve in fields["curves"])})
    return Heatmaps(**{**fields, "rows": tuple(_heatmap_row(row) for row in fields["rows"])})


def _heatmap_row(record: Mapping[str, Any]) -> HeatmapRow:
    matrices = {
        name: None if record[name] is None else tuple(record[name])
        for name in ("student", "expected", "masked")
    }
    return HeatmapRow(**{**record, **matrices})


def all_rows(picture: Picture) -> Iterator[Row]:
    """Every row of numbers that the student's code computed."""
    if isinstance(picture, Curves):
        yield from (curve.y for curve in picture.curves if curve.role == "student")
    else:
        yield from (line for row in picture.rows for line in row.student)


def _check_text(text: str) -> None:
    if type(text) is not str or len(text) > MAX_TEXT or not text.isprintable():
        raise ValueError(f"a text of a picture must be printable and have at most {MAX_TEXT} characters")


def _shape(matrix: Matrix) -> tuple[int, int]:
    if not matrix or not all(type(row) is str and _ROW.fullmatch(row) for row in matrix):
        raise ValueError("a matrix has rows of numbers")
    widths = {row.count(" ") + 1 for row in matrix}
    if len(widths) != 1:
        raise ValueError("the rows of a matrix have one length")
    return _within(len(matrix), widths.pop())


def _mask_shape(mask: Matrix) -> tuple[int, int]:
    if not mask or not all(type(row) is str and _FLAGS.fullmatch(row) for row in mask):
        raise ValueError("a mask has rows of 0 and 1")
    return _within(len(mask), len(mask[0]))


def _within(height: int, width: int) -> tuple[int, int]:
    if max(height, width) > MAX_SIDE:
        raise ValueError(f"{height} x {width} is more than {MAX_SIDE} to a side")
    return height, width


def _size(matrix: Matrix) -> int:
    return sum(row.count(" ") + 1 for row in matrix)


def _check_amount(parts: int, amount: int) -> None:
    if not 0 < parts <= MAX_PARTS or amount > MAX_NUMBERS:
        raise ValueError(f"a picture has 1 to {MAX_PARTS} parts and at most {MAX_NUMBERS} numbers")
