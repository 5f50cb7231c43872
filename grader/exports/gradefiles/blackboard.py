"""Blackboard Learn: the downloaded grade file with one column filled.

A column is known by the number after `|`; one without a known number would be created as text worth 0.
"""

from __future__ import annotations

import re

from grader.exports.cells import find_column, read_sheet
from grader.exports.classgrades import ExportError
from grader.exports.filling import Columns, choose_column, fill, first_row, read_number, rows_after, same_text
from grader.exports.gradefile import Export, ExportRequest, GradeFile

_ITEM = re.compile(
    r"(?P<title>.*?) \[[^\[\]]*?(?P<points>\d+(?:[.,]\d+)?)?[^\[\]\d]*\] ?\|(?P<id>\d+)\s*", re.DOTALL
)
_KEYS = {"login": ("Username", "User Name"), "sis_id": ("Student ID",)}
_COMMENT = ("Feedback to Learner", "Feedback to User")


def make(request: ExportRequest) -> Export:
    sheet = read_sheet(request.read_into("the grade file that Blackboard exports"))
    header_row = first_row(sheet)
    header = sheet.values(header_row)
    keys = {kind: at for kind, names in _KEYS.items() if (at := find_column(header, names)) is not None}
    if not keys:
        raise ExportError("The file is no grade file of Blackboard: it has no column `Username`.")
    items = [at for at, title in enumerate(header) if _ITEM.fullmatch(title)]
    column = choose_column(header, items, request.column, _is_named)
    match = _ITEM.fullmatch(header[column])
    columns = Columns(
        body=rows_after(sheet, header_row),
        grade=column,
        keys=keys,
        names=[
            at for name in ("First Name", "Last Name") if (at := find_column(header, (name,))) is not None
        ],
        maximum=read_number(match["points"] or "") if match else None,
        comment=find_column(header, _COMMENT),
        comment_format=find_column(header, ("Feedback Format",)),
    )
    return fill(sheet, columns, request, "blackboard-grades.csv")


def _is_named(header: str, wanted: str) -> bool:
    match = _ITEM.fullmatch(header)
    return bool(match and (match["id"] == wanted.strip() or same_text(match["title"], wanted))) or same_text(
        header, wanted
    )


GRADEFILE = GradeFile("Blackboard grade file", make)
