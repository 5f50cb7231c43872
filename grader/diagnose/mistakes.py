"""The known mistakes of an exercise, read from its staff file, and their combinations."""

from __future__ import annotations

import inspect
import itertools
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from torch import nn

from grader.errors import AssignmentError
from grader.suite.reference import load_module

# The right version in steps, from which mistakes derive so that two of them can be combined.
RIGHT = "Right"
MODULE_NAME = "_misconceptions_{}"


@dataclass(frozen=True)
class Mistake:
    """One known mistake, or two at once. `source` computes what the mistaken student computes."""

    name: str
    hint: str
    source: Any
    symbol: str = ""
    names: tuple[str, ...] = ()

    @property
    def is_pair(self) -> bool:
        return len(self.names) > 1

    @property
    def is_module(self) -> bool:
        return isinstance(self.source, type) and issubclass(self.source, nn.Module)

    @cached_property
    def root(self) -> type | None:
        """The `Right` that this mistake derives from."""
        lineage = self.source.__mro__[1:] if isinstance(self.source, type) else ()
        return next((cls for cls in lineage if cls.__name__ == RIGHT), None)

    @cached_property
    def steps(self) -> frozenset[str]:
        """The steps of `Right` that this mistake overrides."""
        if self.root is None:
            return frozenset()
        known = set(dir(self.root)) - set(dir(nn.Module)) | {"forward", "__init__"}
        own = itertools.takewhile(lambda cls: cls is not self.root, self.source.__mro__)
        return frozenset(name for cls in own for name in vars(cls) if name in known)


@dataclass(frozen=True)
class Mistakes:
    """All that is known of one exercise: mistakes that can be repeated, and words for the others by name."""

    repeatable: Sequence[Mistake] = ()
    words: Mapping[str, str] = field(default_factory=dict)

    def pairs(self, chosen: Sequence[Mistake] | None = None) -> Iterator[Mistake]:
        """Any two of the chosen mistakes (all of them by default) that override different steps."""
        for first, second in itertools.combinations(self.repeatable if chosen is None else chosen, 2):
            if first.root is None or first.root is not second.root or first.symbol != second.symbol:
                continue
            if first.steps and second.steps and not first.steps & second.steps:
                yield combine(first, second)


def combine(first: Mistake, second: Mistake) -> Mistake:
    return Mistake(
        name=f"{first.name} and {second.name}",
        hint=f"Two things at once. First: {first.hint} Second: {second.hint}",
        source=type("Both", (first.source, second.source), {"__doc__": None}),
        symbol=first.symbol,
        names=(first.name, second.name),
    )


def load_mistakes(stem: str, path: Path) -> Mistakes:
    """Read the file of one exercise; an exercise without one has no known mistakes.

    Raises:
        AssignmentError: the file does not import, or a mistake in it has no docstring.
    """
    if not path.is_file():
        return Mistakes()
    module = load_module(MODULE_NAME.format(stem), path)
    repeatable: list[Mistake] = []
    words: dict[str, str] = {}
    for name, value in vars(module).items():
        if name.startswith("_") or name == RIGHT or not _is_defined_in(value, module):
            continue
        own_name, hint = snake_case(name), read_hint(value)
        if not hint:
            raise AssignmentError(f"`{name}` in `{path}` has no docstring, so there is nothing to tell.")
        if inspect.isfunction(value) and not inspect.signature(value).parameters:
            words[own_name] = hint
        else:
            repeatable.append(Mistake(own_name, hint, value, str(getattr(value, "symbol", ""))))
            words[own_name] = hint
    return Mistakes(tuple(repeatable), words)


def _is_defined_in(value: object, module: types.ModuleType) -> bool:
    return isinstance(value, (type, types.FunctionType)) and value.__module__ == module.__name__


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def read_hint(value: object) -> str:
    """Its own docstring (an inherited one would describe another mistake) as one line."""
    return " ".join(inspect.cleandoc(value.__doc__ or "").split())
