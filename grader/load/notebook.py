"""Parses a notebook: its code cells become one module, in their order, with a map back to the cells."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from grader.load.facts import Facts, state_facts
from grader.load.names import printable
from grader.load.parsed import Fragment, ParsedFile
from grader.load.practice import imported_tools, without_practice
from grader.load.raw import MAX_SOURCE_BYTES, RawFile, Unreadable, too_large
from grader.load.script import rough_text, tell_stripped
from grader.load.syntax import SyntaxProblem, check_compiles, parse_source
from grader.load.text import decode_source
from grader.records import CellLine, Note

MAX_CELLS = 2000
# Cell magics whose body is Python that runs in the notebook itself.
_PYTHON_CELL_MAGICS = frozenset(
    {"time", "timeit", "capture", "prun", "memit", "debug", "python", "python3", "px"}
)
_CELL_MAGIC = re.compile(r"^%%(\w+)(.*)$")


class _Cell(NamedTuple):
    number: int  # counts from 1, over all cells
    kind: str
    source: str


@dataclass
class _Assembly:
    """The module as it grows; line 1 is kept for `from __future__` imports, which must come first."""

    path: str
    lines: list[str] = field(default_factory=lambda: [""])
    facts: list[Facts] = field(default_factory=list)
    cells: dict[int, CellLine] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    fragments: list[Fragment] = field(default_factory=list)
    tools: frozenset[str] = frozenset()  # what the notebook calls the functions of its check cells


def parse_notebook(raw: RawFile) -> ParsedFile:
    """Never raises for what the notebook holds: an unreadable one has `problem` set."""
    if raw.refusal:
        return ParsedFile(raw, problem=raw.refusal)
    try:
        cells = _read_cells(raw)
    except Unreadable as err:
        return ParsedFile(raw, text=rough_text(raw.content), problem=err)
    assembly = _Assembly(raw.path)
    for cell in cells:
        if cell.kind == "code":
            _add_code(assembly, cell)
        elif cell.source.strip():
            where = f"`{raw.path}` cell {cell.number}"
            assembly.fragments.append(
                Fragment("prose", where, cell.source, f"a {printable(cell.kind, 20)} cell")
            )
    return ParsedFile(
        raw,
        "\n".join(assembly.lines),
        tuple(assembly.facts),
        assembly.cells,
        tuple(assembly.notes),
        tuple(assembly.fragments),
    )


def _read_cells(raw: RawFile) -> list[_Cell]:
    """All cells in order.

    Raises:
        Unreadable: it is not a notebook, is for another language, or holds too much code.
    """
    text = decode_source(raw.content, raw.path)
    if not text.strip():
        return []
    notebook = _read_json(text, raw.path)
    try:
        language = str(notebook.get("metadata", {}).get("kernelspec", {}).get("language", "python"))
        cells = list(_cells(notebook))[:MAX_CELLS]
    except (AttributeError, TypeError, KeyError) as err:
        raise _not_a_notebook(raw.path, f"a cell is malformed ({type(err).__name__})") from err
    if language.lower() not in ("python", "python3", "ipython", ""):
        raise Unreadable(f"`{raw.path}` is a notebook for {printable(language, 20)}; expected Python.")
    if sum(len(cell.source) for cell in cells) > MAX_SOURCE_BYTES:
        raise too_large(raw.path, "script")
    return cells


def _read_json(text: str, path: str) -> Any:
    """The notebook in nbformat 4, whatever it was saved as, without insisting on its schema."""
    from nbformat import converter, reader, versions  # takes a while to import, and only notebooks need it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = reader.parse_json(text)  # type: ignore[no-untyped-call]
            _fill_gaps(content)
            major, minor = reader.get_version(content)  # type: ignore[no-untyped-call]
            notebook = versions[major].to_notebook_json(content, minor=minor)
            return converter.convert(notebook, to_version=4)  # type: ignore[no-untyped-call]
    except RecursionError as err:
        raise _not_a_notebook(path, "it is nested too deeply") from err
    except reader.NotJSONError as err:
        raise Unreadable(f"`{path}` is damaged (cut off?): open it in Jupyter and save it again.") from err
    except Exception as err:  # nbformat documents no set of errors for malformed notebooks
        raise _not_a_notebook(path, f"{type(err).__name__}: {printable(str(err), 100)}") from err


def _fill_gaps(content: Any) -> None:
    """Add the metadata that tools other than Jupyter forget to write."""
    for part in (content, *content.get("cells", ())):
        part.setdefault("metadata", {})


def _not_a_notebook(path: str, reason: str) -> Unreadable:
    return Unreadable(
        f"`{path}` cannot be read as a notebook: {reason}.",
        hint="Open it in Jupyter and save it again, or export it as .py.",
    )


def _cells(notebook: Any) -> Iterator[_Cell]:
    for number, cell in enumerate(notebook.get("cells", ()), 1):
        source = cell.get("source", "")
        joined = source if isinstance(source, str) else "".join(str(part) for part in source)
        text = joined.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
        yield _Cell(number, str(cell.get("cell_type", "raw")), text)


def _add_code(assembly: _Assembly, cell: _Cell) -> None:
    where = f"`{assembly.path}` cell {cell.number}"
    source = _without_cell_magic(assembly, cell, where)
    if source is None:
        return
    try:
        parsed = parse_source(source)
        check_compiles(parsed.tree)
    except SyntaxProblem as err:
        assembly.fragments.append(Fragment("broken", where, cell.source, err.what, err.hint))
        note = f"{where}, line {err.line}: left out the whole cell, which {err.what}."
        assembly.notes.append(Note(note, path=assembly.path))
        return
    for line in parsed.stripped:
        assembly.notes.append(replace(tell_stripped(source, line, where, assembly.path), line=None))
    assembly.tools |= imported_tools(parsed.tree.body)
    kept = without_practice(parsed.tree, parsed.text, assembly.tools)
    offset = len(assembly.lines)
    for line, text in enumerate(kept.split("\n"), 1):
        assembly.lines.append(text)
        assembly.cells[offset + line] = CellLine(cell.number, line)
    ast.increment_lineno(parsed.tree, offset)
    assembly.facts += [_hoist_future(assembly, item) for item in state_facts(parsed.tree.body)]


def _hoist_future(assembly: _Assembly, item: Facts) -> Facts:
    """Move `from __future__ import ...` to line 1; the statement itself is blanked like a dead one."""
    node = item.node
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        names = ", ".join(alias.name for alias in node.names)
        before = assembly.lines[0]
        assembly.lines[0] = f"{before}, {names}" if before else f"from __future__ import {names}"
        return replace(item, how="guard", is_dead=True)
    return replace(item, is_dead=False) if item.how == "guard" else item


def _without_cell_magic(assembly: _Assembly, cell: _Cell, where: str) -> str | None:
    """The cell's Python, lines in place; None where a cell magic makes it something else."""
    lines = cell.source.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    magic = _CELL_MAGIC.match(lines[first])
    if not magic:
        return cell.source
    shown = printable(lines[first].strip(), 60)
    if magic[1] in _PYTHON_CELL_MAGICS:
        assembly.notes.append(Note(f"{where}: left out the notebook command `{shown}`.", path=assembly.path))
        return "\n".join([*lines[:first], "", *lines[first + 1 :]])
    what = f"a cell that `{shown}` hands to something else"
    assembly.fragments.append(Fragment("written", where, cell.source, what))
    assembly.notes.append(
        Note(f"{where}: left out the whole cell, which starts with `{shown}`.", path=assembly.path)
    )
    return None
