from __future__ import annotations

from typing import Any

import pytest

from grader.classroom.records import Identity
from grader.exports.classgrades import ExportError


def test_only_the_grade_cells_change_and_hashes_stay(
    make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("brightspace.csv", crlf=True)
    folder = make_class(
        handed("ada", Identity(sis_id="001001"), 17.0), handed("ana", Identity(login="ana"), None)
    )
    export = make("brightspace", folder, into=into)
    cells = changed_cells(into.read_bytes(), export.files[0].content)
    assert cells == {(1, "HW 3 Points Grade"): "17"}
    assert b"#001001,#ada,17,#\r\n" in export.files[0].content


def test_maximum_of_the_item_is_read_from_its_header(
    make: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    into = sample("brightspace.csv")
    header = b"HW 3 Points Grade <Numeric MaxPoints:10 Weight:5>"
    into.write_bytes(into.read_bytes().replace(b"HW 3 Points Grade", header))
    folder = make_class(handed("ada", Identity(login="ada"), 10.0))
    with pytest.raises(ExportError, match="worth 10 points"):
        make("brightspace", folder, into=into, column="HW 3")
    assert make("brightspace", folder, into=into, column="HW 3", scale=True).changes[0].after == "5"
