from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from grader.classroom.records import Identity
from grader.exports.classgrades import ExportError

HW = "HW 3 [Total Pts: 20 Score] |403340"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_only_the_grade_cells_change(
    encoding: str, make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("blackboard.csv", encoding=encoding)
    folder = make_class(
        handed("ada", Identity(login="ada"), 17.0), handed("grace", Identity(login="grace"), None)
    )
    export = make("blackboard", folder, into=into)
    assert changed_cells(into.read_bytes(), export.files[0].content, encoding) == {(1, HW): "17"}
    assert export.files[0].content.decode(encoding).count('"17"') == 1


def test_tab_separated_text_that_is_called_xls(make: Any, make_class: Any, handed: Any, sample: Any) -> None:
    into = sample("blackboard.csv")
    into.write_bytes(into.read_bytes().replace(b'","', b'"\t"').decode().encode("utf-16"))
    folder = make_class(handed("grace", Identity(login="grace"), 2.0))
    export = make("blackboard", folder, into=into, column="403340", comments=True)
    text = export.files[0].content.decode("utf-16")
    assert text.startswith(into.read_bytes().decode("utf-16").partition('"Hopper"')[0])
    row = next(
        csv.reader(io.StringIO(text.partition("11.5")[2].partition("\n")[2], newline=""), delimiter="\t")
    )
    assert row[:6] == ["Hopper", "Grace", "grace", "2", "", ""]
    assert "Hint: Look at <the> mask." in row[6]
    assert row[7] == "PLAIN_TEXT"


def test_a_column_without_a_number_is_never_filled(
    make: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    into = sample("blackboard.csv")
    into.write_bytes(into.read_bytes().replace(b" |403340", b""))
    with pytest.raises(ExportError, match="no column"):
        make("blackboard", make_class(handed("ada", Identity(login="ada"))), into=into)
