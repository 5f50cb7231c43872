"""A notebook's check cells: `from grader.notebook import check` and `check(...)` are no part of an answer.

They are blanked before anything looks at them, so that nobody reads a remark for each on what was left out.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from typing import TypeGuard

MODULE = "grader.notebook"


def imported_tools(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """The names under which these statements import the check cells' functions."""
    return frozenset(
        alias.asname or alias.name for node in statements if _is_import(node) for alias in node.names
    )


def without_practice(tree: ast.Module, text: str, tools: frozenset[str]) -> str:
    """Take those statements out of `tree` that stand on lines of their own; the text with them blanked."""
    found = [node for node in tree.body if _is_import(node) or _is_call(node, tools)]
    if not found:
        return text
    lines = text.split("\n")
    shared = Counter(line for node in tree.body for line in _lines(node))
    alone = [node for node in found if all(shared[line] == 1 for line in _lines(node))]
    gone = {id(node) for node in alone}
    tree.body = [node for node in tree.body if id(node) not in gone]
    for node in alone:
        last = node.end_lineno or node.lineno
        lines[node.lineno - 1 : last] = [""] * (last - node.lineno + 1)
    return "\n".join(lines)


def _is_import(node: ast.stmt) -> TypeGuard[ast.ImportFrom]:
    return isinstance(node, ast.ImportFrom) and node.module == MODULE and not node.level


def _is_call(node: ast.stmt, tools: frozenset[str]) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in tools


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
