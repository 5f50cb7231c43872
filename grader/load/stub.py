"""Tells an exercise that was left as it was handed out from one that was worked on."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from typing import NamedTuple

from grader.catalog import Assignment
from grader.load.facts import leaves, state_facts
from grader.load.scope import FUNCTIONS

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PLAIN_BASES = frozenset({"Module", "object", "ABC"})


class Stubs(NamedTuple):
    """The handout: for each symbol, its definitions in normal form (docstrings left out).

    Stubs that do nothing at all are not in it: `is_unwritten` finds them without a comparison.
    """

    shapes: Mapping[str, frozenset[str]]


def read_stubs(assignment: Assignment) -> Stubs:
    """The definitions in all stubs. A stub that is not there or does not parse counts as having none.

    In a handout the stubs are the files that the student fills in: they say nothing of how they were.
    """
    shapes: dict[str, set[str]] = {}
    if not assignment.has_staff_parts:
        return Stubs({})
    for stem in assignment.stems:
        try:
            text = assignment.stub(stem).read_bytes()
        except OSError:
            continue
        for name, shape in _shapes_in(text):
            shapes.setdefault(name, set()).add(shape)
    return Stubs({name: frozenset(known) for name, known in shapes.items()})


@functools.lru_cache(maxsize=128)  # the same few texts for every submission of a class
def _shapes_in(stub: bytes) -> tuple[tuple[str, str], ...]:
    try:
        tree = ast.parse(stub)
    except (SyntaxError, ValueError):
        return ()
    nodes = [item.node for item in leaves(state_facts(tree.body))]
    return tuple(
        (node.name, _shape(node))
        for node in nodes
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not is_unwritten(node)
    )


def is_untouched(node: Definition, stubs: Stubs) -> bool:
    """Is it the handout's own definition, docstrings and comments aside, where that does something?"""
    known = stubs.shapes.get(node.name)
    return known is not None and _shape(node) in known


def is_unwritten(node: Definition) -> bool:
    """Does it do nothing: only docstring, pass, `...`, `return None`, `raise NotImplementedError`?

    A class does nothing when no method does and it inherits from nothing but a plain base; a call of the
    base's `__init__` is no work either.
    """
    if not isinstance(node, ast.ClassDef):
        return all(_is_idle(statement) for statement in node.body)
    if any(_last_name(base) not in _PLAIN_BASES for base in node.bases):
        return False
    return all(
        is_unwritten(statement) if isinstance(statement, FUNCTIONS) else _is_idle(statement)
        for statement in node.body
    )


def _is_idle(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass):
        return True
    if isinstance(node, ast.Return):
        return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    if isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return isinstance(raised, ast.Name) and raised.id in ("NotImplementedError", "NotImplemented")
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or _is_base_init(node.value)
    return False


def _is_base_init(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"
    )


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _shape(node: Definition) -> str:
    """The definition without positions and docstrings; empty if it is nested too deeply to say."""
    try:
        return ast.dump(_strip_docstrings(node))
    except RecursionError:
        return ""


def _strip_docstrings(node: Definition) -> ast.AST:
    """A copy that shares everything but the bodies that start with a string."""
    body = [
        _strip_docstrings(part) if isinstance(part, (*FUNCTIONS, ast.ClassDef)) else part
        for part in node.body
        if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
    ]
    kept = {name: getattr(node, name) for name in node._fields if hasattr(node, name)}
    return type(node)(**{**kept, "body": body})
