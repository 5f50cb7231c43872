"""Imports that would hide an answer: a file defines it, and another line imports the name from nowhere.

The stub of a later exercise starts with `from warm_up import warm_up`. Pasted below the student's own
`warm_up`, say as a cell of one notebook, that line finds no module, an untouched stub, or this very file.
The definition is the answer, so the import is taken out before anything looks at the file.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from grader.load.facts import Facts, leaves, state_facts
from grader.load.names import printable
from grader.load.parsed import ParsedFile
from grader.load.symbols import SymbolFinder
from grader.records import Note


def without_hiding_imports(
    finder: SymbolFinder, symbols: Collection[str], stems: Collection[str]
) -> list[ParsedFile]:
    """The files, without imports of `symbols` that lead to no definition elsewhere but hide one here."""
    return [_without(parsed, _find_hiding(parsed, finder, symbols, stems)) for parsed in finder.files]


def _find_hiding(
    parsed: ParsedFile, finder: SymbolFinder, symbols: Collection[str], stems: Collection[str]
) -> dict[int, set[str]]:
    """The names to take out, by the identity of the import that binds them."""
    found: dict[int, set[str]] = {}
    for symbol in set(symbols) & parsed.bindings.keys():
        bound = parsed.bindings[symbol]
        own = [place for place, item in enumerate(bound) if item.how not in ("import", "deletion")]
        before: Facts | None = None
        for place, item in enumerate(bound):
            if item.how != "import":
                before = item if item.how != "deletion" else None
                continue
            node = item.node
            if not isinstance(node, ast.ImportFrom) or not node.module or finder.is_resolved(node, symbol):
                continue
            of_ours = finder.knows(node.module) or node.module.split(".")[-1] in stems
            # Only a written answer outweighs a foreign module: below a stub, that module is what is missed.
            hides = before is not None and (of_ours or finder.is_answer(parsed, before, symbol))
            # A module that imports itself has nothing yet of what it defines further down.
            fails = of_ours and bool(own) and own[-1] > place
            if hides or fails:
                found.setdefault(id(node), set()).add(symbol)
    return found


def _without(parsed: ParsedFile, hiding: dict[int, set[str]]) -> ParsedFile:
    if not hiding:
        return parsed
    lines = parsed.text.encode().split(b"\n")
    notes = []
    for item in leaves(parsed.facts):
        if id(item.node) not in hiding or not isinstance(item.node, ast.ImportFrom):
            continue
        names = hiding[id(item.node)]
        _overwrite(lines, item.node, _reduced(item.node, names))
        where = parsed.where(item.node.lineno)
        shown = ", ".join(f"`{printable(name, 60)}`" for name in sorted(names))
        said = f"{where}: left out the import of {shown}; the definition in this file counts."
        notes.append(Note(said, path=parsed.path))
    return replace(
        parsed,
        text=b"\n".join(lines).decode(),
        facts=_rebuilt(parsed.facts, hiding),
        left_out=(*parsed.left_out, *notes),
    )


def _reduced(node: ast.ImportFrom, names: Collection[str]) -> ast.ImportFrom | ast.Pass:
    """The import without `names`, at the same place."""
    kept = [alias for alias in node.names if (alias.asname or alias.name) not in names]
    if not kept:
        return ast.copy_location(ast.Pass(), node)
    return ast.copy_location(ast.ImportFrom(node.module, kept, node.level), node)


def _overwrite(lines: list[bytes], old: ast.ImportFrom, new: ast.ImportFrom | ast.Pass) -> None:
    """Write `new` over `old`: every line keeps its number, and what follows on the last one its column."""
    first, last = old.lineno - 1, (old.end_lineno or old.lineno) - 1
    end = old.end_col_offset or 0
    text = ast.unparse(new).replace(", ", ",").encode()
    before, after = lines[first][: old.col_offset], lines[last][end:]
    if first == last:
        lines[first] = (before + text).ljust(end) + after
        return
    lines[first] = before + text + b" \\"
    lines[first + 1 : last] = [b" \\"] * (last - first - 1)
    lines[last] = b" " * end + after


def _rebuilt(facts: Sequence[Facts], hiding: dict[int, set[str]]) -> tuple[Facts, ...]:
    return tuple(_rebuild(facts, hiding))


def _rebuild(facts: Sequence[Facts], hiding: dict[int, set[str]]) -> Iterable[Facts]:
    for item in facts:
        if item.children:
            yield replace(item, children=_rebuilt(item.children, hiding))
        elif id(item.node) in hiding and isinstance(item.node, ast.ImportFrom):
            yield state_facts([_reduced(item.node, hiding[id(item.node)])])[0]
        else:
            yield item
