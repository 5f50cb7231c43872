"""A CSV file of which single cells are replaced, and every other byte stays as it was.

Reading it with a CSV library and writing it again would change quotes, line ends, or a number's zeros; so
each cell is found with its place in the text, and only the places of changed cells are written anew.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.classroom.roster_csv import find_delimiter
from grader.exports.targets import SettingError

_QUOTE = '"'
_SEP_LINE = re.compile(r"sep=(.)\r?\n")
_BOM = "\ufeff"


@dataclass(frozen=True)
class Cell:
    """A cell: what it says, and where it stands in the text with its quotes."""

    value: str
    start: int
    end: int
    is_quoted: bool


@dataclass(frozen=True)
class Sheet:
    """The rows of a CSV text. Rows may differ in length; an empty line is a row of one empty cell."""

    text: str
    encoding: str
    delimiter: str
    rows: tuple[tuple[Cell, ...], ...]

    def values(self, row: int) -> list[str]:
        return [cell.value for cell in self.rows[row]]

    def value(self, row: int, column: int | None) -> str:
        """What a cell says, without spaces around it; empty if the row has no such cell."""
        if column is None or column >= len(self.rows[row]):
            return ""
        return self.rows[row][column].value.strip()

    def replaced(self, changes: Mapping[tuple[int, int], str]) -> bytes:
        """The file with these cells (row, column) changed; a cell keeps its quotes if it had any."""
        parts, at = [], 0
        for (row, column), value in sorted(changes.items()):
            cell = self.rows[row][column]
            parts += [self.text[at : cell.start], self._written(cell, value)]
            at = cell.end
        return "".join([*parts, self.text[at:]]).encode(self.encoding)

    def _written(self, cell: Cell, value: str) -> str:
        needs_quotes = any(char in value for char in (self.delimiter, _QUOTE, "\n", "\r"))
        if cell.is_quoted or needs_quotes:
            return _QUOTE + value.replace(_QUOTE, _QUOTE * 2) + _QUOTE
        return value


def read_sheet(content: bytes) -> Sheet:
    """The rows of a file as an LMS exports it: any usual encoding, delimiter, quotes and line ends.

    Raises:
        SettingError: it is no text.
    """
    text, encoding = _decode(content)
    start = len(_BOM) if text.startswith(_BOM) else 0
    named = _SEP_LINE.match(text, start)
    if named:
        start = named.end()
    delimiter = named[1] if named else find_delimiter(text[start:])
    return Sheet(text, encoding, delimiter, tuple(_scan(text, start, delimiter)))


def _decode(content: bytes) -> tuple[str, str]:
    """Text and encoding, so that encoding the text gives the same bytes again; a BOM stays in the text."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        names = ["utf-16-le" if content.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"]
    elif content[:4096].count(0) > len(content[:4096]) // 4:
        even, odd = content[:4096:2].count(0), content[1:4096:2].count(0)
        names = ["utf-16-le" if odd >= even else "utf-16-be"]
    else:
        names = ["utf-8", "cp1252", "latin-1"]
    for name in names:
        try:
            text = content.decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" not in text and text.encode(name) == content:
            return text, name
    raise SettingError("The file is no text in UTF-8, UTF-16 or Windows' Latin encoding.")


def _scan(text: str, start: int, delimiter: str) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    row: list[Cell] = []
    at = start
    while at < len(text) or row:
        cell = _scan_cell(text, at, delimiter)
        row.append(cell)
        at = cell.end
        if text[at : at + 1] == delimiter:
            at += 1
            if at < len(text):
                continue
            row.append(Cell("", at, at, False))
        at += 2 if text.startswith("\r\n", at) else 1
        rows.append(tuple(row))
        row = []
    return rows


def _scan_cell(text: str, at: int, delimiter: str) -> Cell:
    """The cell that starts at `at`; quotes count only at its beginning, as for every reader of CSV."""
    if text[at : at + 1] == _QUOTE:
        end = at + 1
        while (end := text.find(_QUOTE, end)) >= 0 and text[end : end + 2] == _QUOTE * 2:
            end += 2
        close = len(text) if end < 0 else end
        stop = _next_of(text, min(close + 1, len(text)), delimiter)
        rest = text[close + 1 : stop]
        return Cell(text[at + 1 : close].replace(_QUOTE * 2, _QUOTE) + rest, at, stop, True)
    stop = _next_of(text, at, delimiter)
    return Cell(text[at:stop], at, stop, False)


def _next_of(text: str, at: int, delimiter: str) -> int:
    """Where the next delimiter or line end is, else the end of the text."""
    found = re.compile(f"[{re.escape(delimiter)}\r\n]").search(text, at)
    return found.start() if found else len(text)


def find_column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """The first column with one of these headers, without case and spaces around; None if there is none."""
    wanted = {name.casefold() for name in names}
    places = (place for place, cell in enumerate(header) if cell.strip(_BOM + " ").casefold() in wanted)
    return next(places, None)
