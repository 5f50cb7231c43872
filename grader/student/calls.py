"""Calls of a check as they were made: kept for the diagnosis, detached, on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from grader.errors import StudentError


@dataclass(frozen=True)
class Call:
    """One call of a check as it was made, for the diagnosis: detached, on the CPU.

    `constructor` and `state` are set for modules only; `arguments` are positional, `keywords` the named
    ones, with a copy of what a lent module was before the call in its place (None for one of the
    student's). `raised` is the student's exception as "Type: text", empty if the call returned.
    `attributes` are those of the module that the check looked at after this call.
    """

    symbol: str
    arguments: tuple[Any, ...]
    result: Any
    constructor: tuple[Any, ...] | None = None
    state: Mapping[str, torch.Tensor] | None = None
    training: bool = False
    keywords: Mapping[str, Any] = field(default_factory=dict)
    constructor_keywords: Mapping[str, Any] = field(default_factory=dict)
    raised: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Made:
    """A module that a check made: how, and what it looked at before the first call.

    `raised` as in `Call`: what the constructor raised.
    """

    symbol: str
    constructor: tuple[Any, ...]
    keywords: Mapping[str, Any]
    raised: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)


def tensors_in(value: Any) -> list[torch.Tensor]:
    """All tensors in a value, in the order in which `wire` packs them."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in tensors_in(part)]
    if isinstance(value, dict):
        return [tensor for part in value.values() for tensor in tensors_in(part)]
    return []


def rebuild(value: Any, tensors: Sequence[torch.Tensor]) -> Any:
    """`value` with its tensors replaced, in order."""
    rest = iter(tensors)

    def build(part: Any) -> Any:
        if isinstance(part, torch.Tensor):
            return next(rest)
        if isinstance(part, (list, tuple)):
            return type(part)(build(p) for p in part)
        if isinstance(part, dict):
            return {key: build(p) for key, p in part.items()}
        return part

    return build(value)


def modules_in(value: Any) -> list[nn.Module]:
    """All modules in a value, each once, in order."""
    if isinstance(value, nn.Module):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    found = [module for part in parts for module in modules_in(part)]
    return list({id(module): module for module in found}.values())


def replace_modules(value: Any, put: Callable[[Any], Any]) -> Any:
    """`value` with what `put` gives for each of its modules."""
    if isinstance(value, nn.Module):
        return put(value)
    if type(value) in (list, tuple):
        return type(value)(replace_modules(part, put) for part in value)
    if isinstance(value, dict):
        return {key: replace_modules(part, put) for key, part in value.items()}
    return value


def raised_text(err: StudentError) -> str:
    """ "Type: text" of an exception of the student's; empty for endings of another kind."""
    return err.message if err.outcome == "raised" and err.exception_type else ""


def snapshot(value: Any) -> Any:
    """A detached copy that later in-place work cannot reach."""
    return rebuild(value, [mark_like(t.detach().clone(), t) for t in tensors_in(value)])


def mark_like(copy: torch.Tensor, original: torch.Tensor) -> torch.Tensor:
    copy.sent_from = getattr(original, "sent_from", str(original.device))  # type: ignore[attr-defined]
    return copy
