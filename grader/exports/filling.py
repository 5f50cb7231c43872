"""Fills the grade cells of an LMS's table: the same for all once it is known which columns mean what."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.exports.cells import Sheet
from grader.exports.classgrades import ExportError, Student
from grader.exports.feedback import feedback_text
from grader.exports.gradefile import Change, Export, ExportFile, ExportRequest, Kept, points_for
from grader.exports.matching import Row, match
from grader.printable import printable
from grader.report.wording import points_text

DECIMALS = 2  # LMSs compare grades at two decimals
COMMENT_CHARACTERS = 20_000
PLAIN_TEXT = "PLAIN_TEXT"
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_HEADERS_SHOWN = 20


@dataclass(frozen=True)
class Columns:
    """What the columns of a sheet mean; `body` are the numbers of the students' rows.

    `keys` are the columns by kind of key, `names` those that together are a name. `maximum` is that of the
    assignment, or the column that says it in every row. `locked` gives for a row why its grade must stay, as
    the end of a sentence, or nothing. `read_key` makes a key comparable. `comment_format` is the column that
    says in which format a comment is; ours is plain text there.
    """

    body: Sequence[int]
    grade: int
    keys: Mapping[str, int]
    names: Sequence[int] = ()
    maximum: float | None = None
    maximum_column: int | None = None
    locked: Callable[[int], str] = field(default=lambda row: "")
    read_key: Callable[[str, str], str] = field(default=lambda kind, text: text)
    comment: int | None = None
    comment_format: int | None = None
    write_comment: Callable[[str], str] = field(default=lambda text: text)


def fill(sheet: Sheet, columns: Columns, request: ExportRequest, file_name: str) -> Export:
    """The sheet with everybody's grade, and what became of every row and student.

    Raises:
        ExportError: the points of file and batch do not go together.
    """
    rows = [_row(sheet, columns, number) for number in columns.body]
    matching = match(rows, request.grades.students, by_name=request.by_name)
    shown = {row.number: row.shown for row in rows}
    comma = _has_decimal_comma(sheet, columns)
    written: dict[tuple[int, int], str] = {}
    changes: list[Change] = []
    kept: list[Kept] = []
    same = 0
    for number, student in sorted(matching.pairs.items()):
        reason = _why_kept(sheet, columns, number, student)
        if reason:
            kept.append(Kept(shown[number], reason))
            continue
        maximum = _maximum(sheet, columns, number)
        after = grade_text(points_for(student, maximum, scale=request.scale), comma=comma)
        before = sheet.value(number, columns.grade)
        if request.comments and (comment := _comment(sheet, columns, number, student, request)) is not None:
            written[number, columns.comment or 0] = comment
            if columns.comment_format is not None:
                written[number, columns.comment_format] = PLAIN_TEXT
        if is_same_number(before, after):
            same += 1
        else:
            written[number, columns.grade] = after
            changes.append(Change(_marked(shown[number], student), before, after))
    content = sheet.replaced(written)
    return Export((ExportFile(file_name, content),), matching, tuple(changes), tuple(kept), same)


def _marked(shown: str, student: Student) -> str:
    return f"{shown} ({student.remark})" if student.remark else shown


def _row(sheet: Sheet, columns: Columns, number: int) -> Row:
    keys = {
        kind: columns.read_key(kind, sheet.value(number, column)) for kind, column in columns.keys.items()
    }
    name = " ".join(part for column in columns.names if (part := sheet.value(number, column)))
    who = name or next((value for value in keys.values() if value), "")
    line = sheet.text.count("\n", 0, sheet.rows[number][0].start) + 1
    return Row(number, printable(f"{who} (line {line})", 200, one_line=True), keys, name)


def _why_kept(sheet: Sheet, columns: Columns, number: int, student: Student) -> str:
    if student.score is None:
        return f"{student.why_not}: left as it was"
    if columns.grade >= len(sheet.rows[number]):
        return "its row in the file has no cell for the grade"
    return columns.locked(number)


def _maximum(sheet: Sheet, columns: Columns, number: int) -> float | None:
    if columns.maximum_column is None:
        return columns.maximum
    return read_number(sheet.value(number, columns.maximum_column))


def _comment(
    sheet: Sheet, columns: Columns, number: int, student: Student, request: ExportRequest
) -> str | None:
    if columns.comment is None or columns.comment >= len(sheet.rows[number]):
        return None
    text = feedback_text(request.grades, student)
    return None if text is None else columns.write_comment(text[:COMMENT_CHARACTERS])


def grade_text(points: float, *, comma: bool = False) -> str:
    """Points as an importer reads them: at most two decimals, and the file's own decimal sign."""
    text = points_text(round(points, DECIMALS))
    return text.replace(".", ",") if comma else text


def read_number(text: str) -> float | None:
    """The number that a cell says, with a decimal point or comma; None if it is no number."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    value = float(text.strip().replace(",", "."))
    return value if math.isfinite(value) else None


def is_same_number(before: str, after: str) -> bool:
    """Do both say the same number at the decimals that an LMS compares?"""
    old, new = read_number(before), read_number(after)
    return old is not None and new is not None and abs(old - new) < 0.5 * 10.0**-DECIMALS


def _has_decimal_comma(sheet: Sheet, columns: Columns) -> bool:
    """Do the file's own grades and maxima have a comma? Where there are none, `;` between cells says so."""
    looked_at = [column for column in (columns.grade, columns.maximum_column) if column is not None]
    numbers = [
        text
        for row in range(len(sheet.rows))
        for column in looked_at
        if _NUMBER.fullmatch(text := sheet.value(row, column)) and ("," in text or "." in text)
    ]
    return "," in numbers[0] if numbers else sheet.delimiter == ";"


def choose_column(
    header: Sequence[str], candidates: Sequence[int], wanted: str | None, fits: Callable[[str, str], bool]
) -> int:
    """The assignment's column among `candidates`: the one that `wanted` names, else the only one.

    Raises:
        ExportError: none or several fit; it lists them.
    """
    chosen = [at for at in candidates if wanted is None or fits(header[at], wanted)]
    exact = [at for at in chosen if wanted is not None and header[at].strip() == wanted.strip()]
    if len(chosen) == 1 or len(exact) == 1:
        return exact[0] if len(exact) == 1 else chosen[0]
    names = [f"`{printable(header[at].strip(), 120, one_line=True)}`" for at in (chosen or candidates)]
    listed = ", ".join(names[:_HEADERS_SHOWN]) or "none"
    if wanted is None:
        said = "The file has no column" if not candidates else "It is not clear which column"
        raise ExportError(
            f"{said} for the grades of one assignment is meant.", hint=f"--column NAME: {listed}."
        )
    shown = printable(wanted, 120, one_line=True)
    many = "Several columns are" if chosen else "No column is"
    raise ExportError(f"{many} named `{shown}`.", hint=f"Columns for grades: {listed}.")


def same_text(header: str, wanted: str) -> bool:
    """Is a header what the user named, without case and spaces around it?"""
    return header.strip().casefold() == wanted.strip().casefold()


def first_row(sheet: Sheet) -> int:
    """The header: the first row that says something.

    Raises:
        ExportError: the file is empty.
    """
    for number in range(len(sheet.rows)):
        if any(cell.value.strip() for cell in sheet.rows[number]):
            return number
    raise ExportError("The file is empty.")


def rows_after(sheet: Sheet, header: int) -> list[int]:
    """The rows below the header that say something."""
    return [
        number
        for number in range(header + 1, len(sheet.rows))
        if any(cell.value.strip() for cell in sheet.rows[number])
    ]
