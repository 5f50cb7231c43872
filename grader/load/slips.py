"""Method names that Python accepts and never calls: `_init_` for `__init__`, `foward` for `forward`."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from grader.load.names import printable
from grader.load.parsed import ParsedFile
from grader.load.scope import FUNCTIONS
from grader.records import Note

# How alike a name must be, from 0 to 1: one letter of `forward` left out, added, swapped or in upper case.
_ALIKE = 0.85


def slip_notes(parsed: ParsedFile, symbol: str) -> Iterator[Note]:
    """A remark on each method of the class `symbol` that looks like a misspelt one which is not there."""
    bound = parsed.bindings.get(symbol)
    if not bound or not isinstance(bound[-1].node, ast.ClassDef) or symbol in parsed.patched:
        return
    node = bound[-1].node
    methods = {part.name: part for part in node.body if isinstance(part, FUNCTIONS)}
    for wanted in ("__init__", "forward"):
        found = _misspelt(wanted, methods, node)
        if found:
            shown = printable(found, 40)
            text = f"{parsed.where(methods[found].lineno)}: found `{shown}` in `{symbol}`"
            yield Note(f"{text}: did you mean `{wanted}`?", path=parsed.path)


def _misspelt(
    wanted: str, methods: dict[str, ast.FunctionDef | ast.AsyncFunctionDef], node: ast.ClassDef
) -> str:
    """The method that is probably meant to be `wanted`; empty if there is none, or `wanted` is there."""
    plain = [part for part in node.body if not isinstance(part, FUNCTIONS)]
    assigned = {part.id for item in plain for part in ast.walk(item) if isinstance(part, ast.Name)}
    if wanted in methods or wanted in assigned:
        return ""
    if wanted == "__init__":
        return next((name for name in methods if name.startswith("_") and name.strip("_") == "init"), "")
    # A class derived from another of the student's own may inherit `forward`.
    if not all(ast.unparse(base).endswith("Module") for base in node.bases) or not node.bases:
        return ""
    names = [name for name in methods if not name.startswith("__")]
    return next(iter(difflib.get_close_matches(wanted, names, n=1, cutoff=_ALIKE)), "")
