"""What each statement of a module does, as facts that the later steps decide by."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from grader.load.scope import FUNCTIONS, bound_names, header, root_name, statement_parts, used_names

How = Literal[
    "import", "definition", "constant", "assignment", "patch", "block", "deletion", "guard", "other"
]

# Calls that train, draw, load or wait; a module-level value that needs one is not worth its time.
SLOW_CALLS = frozenset(
    {
        *("backward", "step", "fit", "train", "train_ch13", "train_epoch", "DataLoader", "sleep", "input"),
        *("show", "plot", "imshow", "show_heatmaps", "display", "savefig", "figure", "subplots"),
        *("load", "save", "open", "read_csv", "read_data", "download", "urlopen", "urlretrieve", "makedirs"),
        *("system", "run", "Popen", "check_output", "get_ipython", "mkdir"),
    }
)
_NUMBERS = (int, float, complex)


@dataclass(frozen=True)
class Facts:
    """One statement. `patches` are names whose object it changes; `children` are set for a block only.

    `now` and `later` are the names used when it runs and when what it defines is called. `is_slow` means
    a loop or a call that trains, draws or loads.
    """

    node: ast.stmt
    how: How
    binds: frozenset[str]
    patches: frozenset[str]
    now: frozenset[str]
    later: frozenset[str]
    is_slow: bool = False
    is_dead: bool = False
    children: tuple[Facts, ...] = ()

    @property
    def uses(self) -> frozenset[str]:
        return self.now | self.later


def state_facts(statements: Sequence[ast.stmt]) -> tuple[Facts, ...]:
    return tuple(_state(node) for node in statements)


def leaves(facts: Sequence[Facts]) -> Iterator[Facts]:
    """All statements in order, those inside blocks in place of the block; without ones that cannot run."""
    waiting = list(reversed(facts))
    while waiting:
        item = waiting.pop()
        if item.is_dead:
            continue
        if item.how == "block":
            waiting += reversed(item.children)
        else:
            yield item


def _state(node: ast.stmt) -> Facts:
    if isinstance(node, (ast.If, ast.Try, ast.With)):
        return _state_block(node)
    how = _how(node)
    now, later = used_names(node)
    binds = frozenset[str]() if how in ("deletion", "guard") else bound_names(node)
    return Facts(
        node, how, binds, _patched_names(node), now, later, is_slow=how != "import" and _is_slow(node)
    )


def _state_block(node: ast.If | ast.Try | ast.With) -> Facts:
    if isinstance(node, ast.If) and _is_main_guard(node.test):
        names = used_names(node)
        return Facts(node, "guard", frozenset(), frozenset(), names.now, names.later, is_dead=True)
    parts = _split_block(node)
    children = [_state(statement) for statement in parts.statements]
    if isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
        dead = set(map(id, node.orelse if node.test.value else node.body))
        children = [_bury(child) if id(child.node) in dead else child for child in children]
    now, _ = used_names(*parts.header)
    binds = frozenset(name for part in parts.header for name in bound_names(part))
    slow = any(_is_slow(part) for part in parts.header)
    return Facts(node, "block", binds, frozenset(), now, frozenset(), is_slow=slow, children=tuple(children))


class _Block(NamedTuple):
    header: list[ast.AST]
    statements: list[ast.stmt]


def _split_block(node: ast.If | ast.Try | ast.With) -> _Block:
    if isinstance(node, ast.If):
        return _Block([node.test], [*node.body, *node.orelse])
    if isinstance(node, ast.With):
        return _Block(list(node.items), node.body)
    caught = [handler.type for handler in node.handlers if handler.type]
    handled = [statement for handler in node.handlers for statement in handler.body]
    return _Block([*caught], [*node.body, *handled, *node.orelse, *node.finalbody])


def _bury(facts: Facts) -> Facts:
    return Facts(facts.node, facts.how, facts.binds, facts.patches, facts.now, facts.later, is_dead=True,
                 children=facts.children)  # fmt: skip


def _is_main_guard(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Eq)
        and {"__name__", "__main__"}
        == {
            side.id if isinstance(side, ast.Name) else side.value if isinstance(side, ast.Constant) else None
            for side in (test.left, test.comparators[0])
        }
    )


def _how(node: ast.stmt) -> How:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return "import"
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)) or type(node).__name__ == "TypeAlias":
        return "definition"
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if not all(isinstance(part, (ast.Name, ast.Tuple, ast.List)) for part in targets):
            return "patch"
        if not isinstance(node, ast.AugAssign) and (node.value is None or _is_constant(node.value)):
            return "constant"
        return "assignment"
    if isinstance(node, ast.Delete):
        return "deletion"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _patched_names(node):
        return "patch"
    return "other"


def _is_constant(value: ast.expr) -> bool:
    """A literal, or arithmetic of plain numbers: nothing that takes time or memory to build."""
    for part in ast.walk(value):
        if isinstance(part, ast.BinOp):
            numbers = all(
                isinstance(leaf.value, _NUMBERS) for leaf in ast.walk(part) if isinstance(leaf, ast.Constant)
            )
            if not numbers or not isinstance(part.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
                return False
        elif not isinstance(part, (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List, ast.Dict, ast.Set,
                                   ast.operator, ast.unaryop, ast.expr_context)):  # fmt: skip
            return False
        if isinstance(part, (ast.List, ast.Tuple)) and isinstance(value, ast.BinOp):
            return False
    return True


def _patched_names(node: ast.stmt) -> frozenset[str]:
    """Names whose object the statement changes: `C.f = f`, `t[0] = 1`, `setattr(C, ...)`, `@add_to(C)`."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        calls = [part for part in node.decorator_list if isinstance(part, ast.Call)]
        return frozenset(arg.id for call in calls for arg in call.args if isinstance(arg, ast.Name))
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = {
            root_name(part) for part in _flatten(targets) if isinstance(part, (ast.Attribute, ast.Subscript))
        }
        return frozenset(named - {""})
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Name) and function.id in ("setattr", "delattr") and node.value.args:
            return frozenset({root_name(node.value.args[0])} - {""})
        if isinstance(function, ast.Attribute):
            return frozenset({root_name(function)} - {""})
    return frozenset()


def _flatten(targets: Sequence[ast.expr]) -> Iterator[ast.expr]:
    waiting = list(targets)
    while waiting:
        target = waiting.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            waiting += target.elts
        else:
            yield target


def _is_slow(node: ast.AST) -> bool:
    parts = header(node) if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else (node,)
    for top in parts:
        for part in statement_parts(top):
            if isinstance(part, (ast.For, ast.AsyncFor, ast.While)):
                return True
            if isinstance(part, ast.Call) and _called_name(part) in SLOW_CALLS:
                return True
    return False


def _called_name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
