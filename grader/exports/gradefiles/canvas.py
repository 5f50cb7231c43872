"""Canvas gradebook CSV: the exported file with the cells of one assignment filled.

Canvas ignores a column whose title holds one of its own totals' names without a word, and offers to create
an assignment for a header that it does not know; so neither is ever written.
"""

from __future__ import annotations

import re

from grader.exports.cells import Sheet, find_column, read_sheet
from grader.exports.classgrades import ExportError
from grader.exports.filling import Columns, choose_column, fill, first_row, read_number, rows_after, same_text
from grader.exports.gradefile import Export, ExportRequest, GradeFile
from grader.printable import printable

_TITLE = re.compile(r"(?P<title>.*) \((?P<id>\d+)\)\s*", re.DOTALL)
_IGNORED = (
    "current score", "current points", "current grade", "final score", "final points", "final grade",
)  # fmt: skip
_KEYS = {"lms_id": ("ID",), "sis_id": ("SIS User ID",), "login": ("SIS Login ID",)}
_POINTS = "points possible"
_SKIPPED_CELLS = frozenset({"", "muted", "manual posting"})
_TEST_STUDENT = "student, test"


def make(request: ExportRequest) -> Export:
    sheet = read_sheet(request.read_into("the gradebook that Canvas exports"))
    header_row = first_row(sheet)
    header = sheet.values(header_row)
    keys = {kind: at for kind, names in _KEYS.items() if (at := find_column(header, names)) is not None}
    section = find_column(header, ("Section",))
    if "lms_id" not in keys or section is None:
        raise ExportError("The file is no gradebook of Canvas: it has no columns `ID` and `Section`.")
    points_row = _points_row(sheet, header_row)
    possible = [at for at in range(section + 1, len(header)) if _takes_grades(sheet, header, points_row, at)]
    column = choose_column(header, possible, request.column, _is_named)
    if any(name in header[column].casefold() for name in _IGNORED):
        title = printable(header[column], 200, one_line=True)
        raise ExportError(
            f"Canvas ignores the column `{title}` when it imports: its title holds the name of a total.",
            hint="Rename the assignment in Canvas, export the gradebook again.",
        )
    columns = Columns(
        body=[row for row in rows_after(sheet, header_row) if _is_student(sheet, row)],
        grade=column,
        keys=keys,
        names=list(range(keys["lms_id"])),
        maximum=None if points_row is None else read_number(sheet.value(points_row, column)),
        locked=lambda row: _locked(sheet.value(row, column)),
    )
    return fill(sheet, columns, request, "canvas-gradebook.csv")


def _is_named(header: str, wanted: str) -> bool:
    """By its title, its id, or both as Canvas writes them."""
    match = _TITLE.fullmatch(header)
    if match and (match["id"] == wanted.strip() or same_text(match["title"], wanted)):
        return True
    return same_text(header, wanted)


def _points_row(sheet: Sheet, header_row: int) -> int | None:
    rows = (row for row in rows_after(sheet, header_row) if _POINTS in sheet.value(row, 0).casefold())
    return next(rows, None)


def _takes_grades(sheet: Sheet, header: list[str], points_row: int | None, column: int) -> bool:
    """Is it an assignment? Custom columns have no id and no points, totals are read-only."""
    if not header[column].strip():
        return False
    points = "" if points_row is None else sheet.value(points_row, column)
    if "read only" in points.casefold():
        return False
    return bool(_TITLE.fullmatch(header[column])) or read_number(points) is not None


def _is_student(sheet: Sheet, row: int) -> bool:
    first = sheet.value(row, 0).casefold()
    if _POINTS in first or first.startswith(_TEST_STUDENT):
        return False
    return any(value.strip().casefold() not in _SKIPPED_CELLS for value in sheet.values(row))


def _locked(cell: str) -> str:
    if cell.upper() == "EX":
        return "is excused in Canvas: left as it was"
    return "is not assigned in Canvas: left as it was" if cell.upper() == "N/A" else ""


GRADEFILE = GradeFile("Canvas gradebook CSV", make)
