"""Chooses the statements of a module that define something, and blanks the others out of its text.

Kept: imports, definitions, literal constants, and whatever those names need that the wanted definitions use.
Left out: calls, loops, plots, training, anything bound for them. A line keeps its number, so that errors
still name the student's own lines.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from grader.load.facts import Facts, leaves
from grader.load.names import printable
from grader.load.scope import root_name

MAX_ROUNDS = 20  # of dropping definitions whose defaults were dropped
_LOOK_BYTES = 400  # looked at beside a statement; longer lines are treated as shared
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__builtins__"}


class Extraction(NamedTuple):
    """The text with other statements blanked, and those statements, outermost first."""

    text: str
    dropped: tuple[Facts, ...]


def extract_definitions(text: str, facts: Sequence[Facts], roots: Iterable[str]) -> Extraction:
    """Keep what defines something; `roots` are the names that must work afterwards."""
    kept = _choose(facts, frozenset(roots))
    dropped: list[_Dropped] = []
    _list_dropped(facts, kept, 0, dropped)
    told = tuple(item.facts for item in dropped if not _is_silent(item.facts))
    return Extraction(_blank(text, dropped), told)


def _choose(facts: Sequence[Facts], roots: frozenset[str]) -> set[int]:
    """The ids of the statements to keep."""
    every = list(leaves(facts))
    blocks = _blocks(facts)
    binders: dict[str, set[str]] = {}
    for item in every:
        for name in item.binds:
            binders.setdefault(name, set()).add(item.how)
    needed = _close_over(every, blocks, binders, roots)
    kept = [item for item in every if _is_kept(item, needed, binders)]
    # A definition that nobody needs must not break the rest by a default or decorator that is left out.
    for _ in range(MAX_ROUNDS):
        known = _BUILTINS.union(*(item.binds for item in kept))
        if "*" in known:
            break
        fine = [item for item in kept if item.binds & needed or item.how != "definition" or item.now <= known]
        if len(fine) == len(kept):
            break
        kept = fine
    chosen = {id(item) for item in kept}
    for block in blocks:
        if any(id(child) in chosen for child in block.children):
            chosen.add(id(block))
    return chosen


def _blocks(facts: Sequence[Facts]) -> list[Facts]:
    """All blocks, inner ones before the blocks around them."""
    found: list[Facts] = []
    waiting = [item for item in facts if item.how == "block" and not item.is_dead]
    while waiting:
        block = waiting.pop()
        found.append(block)
        waiting += [child for child in block.children if child.how == "block" and not child.is_dead]
    return found[::-1]


def _close_over(
    every: Sequence[Facts], blocks: Sequence[Facts], binders: Mapping[str, set[str]], roots: frozenset[str]
) -> frozenset[str]:
    """All names that the roots need, through everything that binds or changes them."""
    by_name: dict[str, list[Facts]] = {}
    for item in every:
        for name in item.binds | item.patches:
            by_name.setdefault(name, []).append(item)
    headers = {id(leaf): block.now for block in reversed(blocks) for leaf in leaves(block.children)}
    needed = set(roots)
    waiting = list(roots)
    seen: set[int] = set()
    while waiting:
        name = waiting.pop()
        for item in by_name.get(name, ()):
            if id(item) in seen or not _is_kept(item, frozenset({name}), binders):
                continue
            seen.add(id(item))
            new = (item.uses | headers.get(id(item), frozenset())) - needed
            needed |= new
            waiting += new
    return frozenset(needed)


def _is_kept(item: Facts, needed: frozenset[str], binders: Mapping[str, set[str]]) -> bool:
    if item.how == "definition":
        return not item.is_slow or bool(item.binds & needed)
    if item.how in ("import", "constant"):
        return True
    if item.is_slow:
        return False
    if item.how == "assignment":
        return bool(item.binds & needed)
    return item.how == "patch" and _is_wanted_patch(item, item.patches & needed, binders)


def _is_wanted_patch(item: Facts, targets: frozenset[str], binders: Mapping[str, set[str]]) -> bool:
    hows = set[str]().union(*(binders.get(name, ()) for name in targets))
    node = item.node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        # `table.fill_(0)` changes a value that is needed; `torch.manual_seed(0)` and `Net.eval()` do not.
        return bool(targets) and (
            isinstance(node.value.func, ast.Name) or bool(hows & {"assignment", "constant"})
        )
    if hows <= {"import"}:
        # `d2l.plot = mine` replaces a function; settings of a library are left alone.
        return bool(targets) and isinstance(getattr(node, "value", None), (ast.Name, ast.Lambda))
    return bool(targets)


class _Dropped(NamedTuple):
    facts: Facts
    nesting: int


def _list_dropped(facts: Sequence[Facts], kept: set[int], nesting: int, into: list[_Dropped]) -> None:
    for item in facts:
        if item.how == "block" and id(item) in kept:
            _list_dropped(item.children, kept, nesting + 1, into)
        elif id(item) not in kept:
            into.append(_Dropped(item, nesting))


def _is_silent(facts: Facts) -> bool:
    """Statements that do nothing when the module is imported, so that nobody misses them."""
    node = facts.node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    return isinstance(node, ast.Pass) or (facts.how == "guard" and facts.is_dead)


def _blank(text: str, dropped: Sequence[_Dropped]) -> str:
    """Replace statements by nothing, or by `pass` where the grammar wants a statement."""
    if not dropped:
        return text
    source = text.encode()
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    pieces: list[bytes] = []
    done = 0
    for item in dropped:
        node = item.facts.node
        first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", ()))]) - 1
        begin = starts[first] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        breaks = source.count(b"\n", begin, end)
        pieces.append(source[done:begin])
        if not _stands_alone(source, starts[first], begin, end):
            # Backslashes join the lines, so that a neighbour on the last one keeps its number.
            pieces.append(b"\\\n" * breaks + b"pass")
        else:
            pieces.append((b"pass" if item.nesting else b"") + b"\n" * breaks)
        done = end
    return b"".join([*pieces, source[done:]]).decode()


def _stands_alone(source: bytes, line_start: int, begin: int, end: int) -> bool:
    """Does nothing but blanks and a comment share the statement's lines?"""
    if begin - line_start > _LOOK_BYTES or source[line_start:begin].strip():
        return False
    after = source[end : end + _LOOK_BYTES].split(b"\n", 1)
    rest = after[0].lstrip()
    return rest.startswith(b"#") or (not rest and (len(after) > 1 or end + _LOOK_BYTES >= len(source)))


def describe(facts: Facts) -> str:
    """A short phrase for a statement that was left out."""
    node = facts.node
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        return "a loop"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return f"`{_dotted(node.value.func)}(...)`"
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = targets[0].elts if isinstance(targets[0], ast.Tuple) else targets[:1]
        return f"`{', '.join(_dotted(name) for name in names[:3])} = ...`"
    if facts.how == "definition":
        return f"`{printable(getattr(node, 'name', '?'), 40)}`, which needs names that are left out"
    words = {"If": "an `if` block", "With": "a `with` block", "Try": "a `try` block", "Assert": "an `assert`",
             "Delete": "a `del`", "Expr": "an expression"}  # fmt: skip
    return words.get(type(node).__name__, f"a `{type(node).__name__.lower()}` statement")


def _dotted(node: ast.expr) -> str:
    """`a.b.c` for a plain name with attributes, the first name for anything longer."""
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute) and len(parts) < 5:
        parts.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        return printable(".".join([inner.id, *reversed(parts)]), 40)
    return printable(root_name(node), 40) or "…"
