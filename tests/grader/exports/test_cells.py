from __future__ import annotations

import csv
import io
import random

import pytest

from grader.exports.cells import read_sheet
from grader.exports.targets import SettingError


def test_cells_are_those_that_a_csv_reader_finds() -> None:
    draw = random.Random(1)
    for _ in range(3000):
        text = "a,b\n" + "".join(draw.choice(["a", '"', ",", "\n", "\r\n", " ", "é"]) for _ in range(12))
        ours = [[cell.value for cell in row] for row in read_sheet(text.encode()).rows]
        theirs = [row or [""] for row in csv.reader(io.StringIO(text, newline=""))]
        assert ours == theirs, text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_file_without_changes_is_the_same_in_every_encoding(encoding: str) -> None:
    content = 'ID;Näme\r\n"1";"é ""x"""\r\n\r\n2;,'.encode(encoding)
    sheet = read_sheet(content)
    assert sheet.delimiter == ";"
    assert sheet.replaced({}) == content
    assert sheet.value(1, 1) == 'é "x"'


def test_a_changed_cell_keeps_its_quotes_and_gets_them_where_needed() -> None:
    sheet = read_sheet(b'a,b,c\n1,"2",3\n')
    assert sheet.replaced({(1, 0): "x", (1, 1): "y", (1, 2): 'p,"q"'}) == b'a,b,c\nx,"y","p,""q"""\n'


def test_sep_line_of_excel_is_obeyed_and_kept() -> None:
    content = b"sep=;\r\nid;grade\r\n1;2,5\r\n"
    sheet = read_sheet(content)
    assert sheet.values(0) == ["id", "grade"]
    assert sheet.replaced({(1, 1): "3"}) == b"sep=;\r\nid;grade\r\n1;3\r\n"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(SettingError, match="no text"):
        read_sheet(b"PK\x03\x04\x00a\x00\x00\x00,")
