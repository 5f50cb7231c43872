"""A script or notebook after parsing: its statements as facts, and the text that is not code."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from grader.load.extract import describe, extract_definitions
from grader.load.facts import Facts, leaves
from grader.load.names import printable
from grader.load.raw import RawFile, Unreadable
from grader.records import CellLine, Note, SourceText

MAX_NOTES = 12  # remarks on what was left out of one file
MAX_PHRASES = 4  # statements named in one such remark


class Fragment(NamedTuple):
    """Text of a notebook that is not run: a cell that does not parse, prose, or a file that it writes."""

    kind: Literal["broken", "prose", "written"]
    where: str
    text: str
    what: str = ""
    hint: str = ""


@dataclass(frozen=True)
class ParsedFile:
    """One readable or unreadable file with code. `problem` is set where nothing of it can run.

    `text` of a notebook holds all its code cells, one after the other; `cells` maps its lines to them.
    """

    raw: RawFile
    text: str = ""
    facts: tuple[Facts, ...] = ()
    cells: Mapping[int, CellLine] = field(default_factory=dict)
    left_out: tuple[Note, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    problem: Unreadable | None = None

    @property
    def path(self) -> str:
        return self.raw.path

    @property
    def is_notebook(self) -> bool:
        return self.raw.kind == "notebook"

    @property
    def is_empty(self) -> bool:
        """Nothing but comments, docstrings and imports, and nothing that failed to parse."""
        silent = (ast.Pass, ast.Import, ast.ImportFrom)
        code = (
            item for item in self.facts if not isinstance(item.node, silent) and not _is_string(item.node)
        )
        broken = any(fragment.kind == "broken" for fragment in self.fragments)
        return self.problem is None and not broken and next(code, None) is None

    @property
    def holds_nothing(self) -> bool:
        """No statement at all, and no cell that could be one: never written, or never saved."""
        return self.problem is None and not self.facts and all(one.kind == "prose" for one in self.fragments)

    @cached_property
    def bindings(self) -> Mapping[str, tuple[Facts, ...]]:
        """The statements that bind or delete each top-level name, in order."""
        found: dict[str, list[Facts]] = {}
        for item in leaves(self.facts):
            names = item.binds
            if isinstance(item.node, ast.Delete):
                names = frozenset(part.id for part in item.node.targets if isinstance(part, ast.Name))
            for name in names:
                found.setdefault(name, []).append(item)
        return {name: tuple(items) for name, items in found.items()}

    @cached_property
    def patched(self) -> frozenset[str]:
        """Names whose object is changed after it is defined."""
        return frozenset(name for item in leaves(self.facts) for name in item.patches)

    def where(self, line: int) -> str:
        """A place in words: "`a.ipynb` cell 7, line 3" or "`a.py` line 3"."""
        return SourceText("", self.path, "", cells=self.cells).where(line)

    def mentions_definition(self, symbol: str) -> bool:
        """Does the text of an unreadable file look as if it defines the symbol?"""
        return defines_in_text(self.text, symbol)


def defines_in_text(text: str, symbol: str) -> bool:
    """Does any line, commented out or not, start a definition of the symbol?"""
    return (
        re.search(rf"(?m)^[ \t#>]*(?:async[ \t]+)?(?:def|class)[ \t]+{re.escape(symbol)}\b", text) is not None
    )


def make_source(parsed: ParsedFile, module: str, roots: Sequence[str]) -> SourceText:
    """The text that a worker compiles, with what was left out of it in sentences."""
    extraction = extract_definitions(parsed.text, parsed.facts, roots)
    if parsed.is_notebook:
        notes = (*parsed.left_out, *_tell_by_cell(parsed, extraction.dropped))
        return SourceText(
            module, parsed.path, extraction.text, None, parsed.cells, _capped(notes, parsed.path)
        )
    notes = (*parsed.left_out, *_tell_together(parsed, extraction.dropped))
    definitions = extraction.text if extraction.dropped else None
    return SourceText(module, parsed.path, parsed.text, definitions, {}, _capped(notes, parsed.path))


def _tell_by_cell(parsed: ParsedFile, dropped: Sequence[Facts]) -> list[Note]:
    by_cell: dict[int, list[Facts]] = {}
    for item in dropped:
        by_cell.setdefault(parsed.cells[item.node.lineno].cell, []).append(item)
    return [
        Note(f"`{parsed.path}` cell {cell}: left out {_phrases(items)}.", path=parsed.path)
        for cell, items in by_cell.items()
    ]


def _tell_together(parsed: ParsedFile, dropped: Sequence[Facts]) -> list[Note]:
    if not dropped:
        return []
    first = dropped[0].node.lineno
    last = dropped[-1].node.end_lineno or first
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    said = f"`{parsed.path}` {lines}: left out where only the definitions run: {_phrases(dropped)}."
    return [Note(said, path=parsed.path)]


def _phrases(items: Sequence[Facts]) -> str:
    phrases = list(dict.fromkeys(describe(item) for item in items[:200]))
    shown, more = phrases[:MAX_PHRASES], len(phrases) - MAX_PHRASES
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _capped(notes: Sequence[Note], path: str) -> tuple[Note, ...]:
    if len(notes) <= MAX_NOTES:
        return tuple(notes)
    more = len(notes) - MAX_NOTES + 1
    last = Note(f"`{printable(path)}`: {more} more places with code were left out.", path=path)
    return (*notes[: MAX_NOTES - 1], last)


def _is_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
