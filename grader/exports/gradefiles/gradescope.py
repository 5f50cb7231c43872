"""Gradescope: the downloaded scores (of a course or of one assignment) with one assignment filled.

A course's file has four columns per assignment in a fixed order, so a title that ends like one of them
cannot be taken for it. An assignment's own file has one total.
"""

from __future__ import annotations

from grader.exports.cells import find_column, read_sheet
from grader.exports.classgrades import ExportError
from grader.exports.filling import Columns, choose_column, fill, first_row, rows_after, same_text
from grader.exports.gradefile import Export, ExportRequest, GradeFile

_KEYS = {"sis_id": ("SID",), "email": ("Email",)}
_TOTAL, _MAXIMUM = ("Total Score",), " - Max Points"
_GROUP = ("", _MAXIMUM, " - Submission Time", " - Lateness (H:M:S)")


def make(request: ExportRequest) -> Export:
    sheet = read_sheet(request.read_into("the grades that Gradescope lets you download"))
    header_row = first_row(sheet)
    header = sheet.values(header_row)
    keys = {kind: at for kind, names in _KEYS.items() if (at := find_column(header, names)) is not None}
    if not keys:
        raise ExportError("The file is no grade file of Gradescope: it has neither `SID` nor `Email`.")
    total = find_column(header, _TOTAL)
    if total is None:
        column = choose_column(header, _assignments(header), request.column, same_text)
        maximum: int | None = column + 1
    else:
        column, maximum = total, find_column(header, ("Max Points",))
    columns = Columns(
        body=rows_after(sheet, header_row),
        grade=column,
        keys=keys,
        names=[
            at for name in ("First Name", "Last Name") if (at := find_column(header, (name,))) is not None
        ],
        maximum_column=maximum,
    )
    return fill(sheet, columns, request, "gradescope-grades.csv")


def _assignments(header: list[str]) -> list[int]:
    """The first column of each group of four."""
    found, at = [], 0
    while at < len(header):
        title = header[at]
        if [title + ending for ending in _GROUP] == header[at : at + len(_GROUP)]:
            found.append(at)
            at += len(_GROUP)
        else:
            at += 1
    return found


GRADEFILE = GradeFile("Gradescope grades, entered by hand or script", make)
