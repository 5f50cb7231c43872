"""Brightspace (D2L): the exported grades with one item filled.

Ids and user names carry a `#` in exports, and a last column ends every line; both stay as they are.
"""

from __future__ import annotations

import re

from grader.exports.cells import find_column, read_sheet
from grader.exports.classgrades import ExportError
from grader.exports.filling import Columns, choose_column, fill, first_row, read_number, rows_after, same_text
from grader.exports.gradefile import Export, ExportRequest, GradeFile

_ITEM = re.compile(r"(?P<title>.*?) Points Grade(?P<facts>\s*<.*>)?\s*", re.DOTALL)
_MAXIMUM = re.compile(r"MaxPoints:\s*(\d+(?:[.,]\d+)?)")
_KEYS = {"sis_id": ("OrgDefinedId",), "login": ("Username",), "email": ("Email",)}


def make(request: ExportRequest) -> Export:
    sheet = read_sheet(request.read_into("the grades that Brightspace exports"))
    header_row = first_row(sheet)
    header = sheet.values(header_row)
    keys = {kind: at for kind, names in _KEYS.items() if (at := find_column(header, names)) is not None}
    if not {"sis_id", "login"} & set(keys):
        raise ExportError("The file is no export of Brightspace: it has no `OrgDefinedId` and no `Username`.")
    items = [at for at, title in enumerate(header) if _ITEM.fullmatch(title)]
    column = choose_column(header, items, request.column, _is_named)
    points = _MAXIMUM.search(header[column])
    columns = Columns(
        body=rows_after(sheet, header_row),
        grade=column,
        keys=keys,
        names=[
            at for name in ("First Name", "Last Name") if (at := find_column(header, (name,))) is not None
        ],
        maximum=read_number(points[1]) if points else None,
        read_key=lambda kind, text: text.removeprefix("#"),
    )
    return fill(sheet, columns, request, "brightspace-grades.csv")


def _is_named(header: str, wanted: str) -> bool:
    match = _ITEM.fullmatch(header)
    return bool(match and same_text(match["title"], wanted)) or same_text(header, wanted)


GRADEFILE = GradeFile("Brightspace grade import", make)
