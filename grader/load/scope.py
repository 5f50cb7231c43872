"""Which names a statement binds, changes and uses, found without running it and without recursion.

Names used are of two sorts: those that must exist when the statement runs (decorators, defaults, bases) and
those that are looked up later, when a function that it defines is called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class UsedNames(NamedTuple):
    """Global names: `now` when the statement runs, `later` when what it defines is called."""

    now: frozenset[str]
    later: frozenset[str]


class _Scope(NamedTuple):
    nodes: Sequence[ast.AST]
    outer: frozenset[str]  # names of the enclosing functions
    params: frozenset[str]
    kind: str  # "module", "class" or "function"
    runs_now: bool


def used_names(*nodes: ast.AST) -> UsedNames:
    """The global names that statements or expressions at module level use."""
    now: set[str] = set()
    later: set[str] = set()
    waiting = [_Scope(nodes, frozenset(), frozenset(), "module", True)]
    while waiting:
        scope = waiting.pop()
        loads, stores, inner, declared = _own_names(scope.nodes)
        local = scope.params | (stores - declared) if scope.kind != "module" else frozenset[str]()
        (now if scope.runs_now else later).update(loads - scope.outer - local)
        visible = scope.outer | local if scope.kind == "function" else scope.outer
        waiting += [_enter(node, visible, scope.runs_now) for node in inner]
    return UsedNames(frozenset(now), frozenset(later))


def _enter(node: ast.AST, outer: frozenset[str], runs_now: bool) -> _Scope:
    if isinstance(node, ast.ClassDef):
        return _Scope(node.body, outer, frozenset(), "class", runs_now)
    if isinstance(node, ast.Lambda):
        return _Scope([node.body], outer, _parameters(node.args), "function", False)
    if isinstance(node, FUNCTIONS):
        return _Scope(node.body, outer, _parameters(node.args), "function", False)
    return _Scope(list(ast.iter_child_nodes(node)), outer, frozenset(), "function", runs_now)


def _parameters(arguments: ast.arguments) -> frozenset[str]:
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [arg for arg in (arguments.vararg, arguments.kwarg) if arg]
    return frozenset(arg.arg for arg in named)


def _own_names(nodes: Sequence[ast.AST]) -> tuple[set[str], set[str], list[ast.AST], set[str]]:
    """Names loaded and stored in one scope, the scopes inside it, and names declared global."""
    loads: set[str] = set()
    stores: set[str] = set()
    declared: set[str] = set()
    inner: list[ast.AST] = []
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            (loads if isinstance(node.ctx, ast.Load) else stores).add(node.id)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            inner.append(node)
            if not isinstance(node, ast.Lambda):
                stores.add(node.name)
            waiting += header(node)
        elif isinstance(node, COMPREHENSIONS):
            inner.append(node)
        elif isinstance(node, ast.Global):
            declared.update(node.names)
        else:
            stores.update(_plain_bindings(node))
            waiting += ast.iter_child_nodes(node)
    return loads, stores, inner, declared


def header(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a definition that run when the definition does."""
    if isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords))
    elif isinstance(node, (*FUNCTIONS, ast.Lambda)):
        arguments = node.args
        yield from (*arguments.defaults, *(default for default in arguments.kw_defaults if default))
        if not isinstance(node, ast.Lambda):
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            every += [arg for arg in (arguments.vararg, arguments.kwarg) if arg]
            yield from (*node.decorator_list, *(arg.annotation for arg in every if arg.annotation))
            if node.returns:
                yield node.returns


def _plain_bindings(node: ast.AST) -> Iterator[str]:
    """Names bound otherwise than by a Name node in store context."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.split(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name


def bound_names(node: ast.AST) -> frozenset[str]:
    """The names that one statement binds in the scope it stands in."""
    return frozenset(_own_names([node])[1])


def root_name(node: ast.AST) -> str:
    """`a` for `a.b[0].c`; empty where the expression does not start with a name."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Starred)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def statement_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Everything that runs when the statement does: its nodes without the bodies of functions."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, (*FUNCTIONS, ast.Lambda)):
            waiting += header(part)
        else:
            waiting += ast.iter_child_nodes(part)
