"""`reference`: the solutions, computed in float64 on inputs of their own."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from grader.catalog import Assignment, ExerciseSpec
from grader.errors import AssignmentError


class Reference:
    """Attribute access gives the reference's functions and classes.

    Results are float64. Inputs are copied, so the reference may write into them as the book does; a leaf
    that requires a gradient still receives it.
    """

    def __init__(self, modules: Mapping[str, types.ModuleType], specs: tuple[ExerciseSpec, ...]) -> None:
        self._symbols = {
            symbol: getattr(modules[spec.stem], symbol)
            for spec in specs
            if spec.stem in modules
            for symbol in spec.symbols
        }

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._symbols:
            raise AttributeError(f"no reference defines `{name}`")
        return in_float64(self._symbols[name])


def in_float64(symbol: Any) -> Any:
    """A function or class that computes like `symbol`, in float64 and on copies of its inputs."""
    if isinstance(symbol, type) and issubclass(symbol, nn.Module):
        return lambda *args, **kwargs: _construct(symbol, args, kwargs)
    return _wrap_function(symbol)


def _wrap_function(function: Callable[..., Any]) -> Callable[..., Any]:
    def compute(*args: Any, **kwargs: Any) -> Any:
        with float64_default():
            return function(*(widen(arg) for arg in args), **{key: widen(arg) for key, arg in kwargs.items()})

    return compute


def _construct(cls: type[nn.Module], args: tuple[Any, ...], kwargs: dict[str, Any]) -> nn.Module:
    with float64_default():
        module = cls(*args, **kwargs)
    with torch.no_grad():
        for parameter in module.parameters():
            # Values that float32 can hold, so that a student's module gets exactly the same weights.
            parameter.copy_(parameter.float().double())
    inner = module.forward

    def forward(*inputs: Any, **named: Any) -> Any:
        with float64_default():
            return inner(*(widen(x) for x in inputs), **{key: widen(x) for key, x in named.items()})

    module.forward = forward
    return module


def widen(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return value.double().clone() if value.is_floating_point() else value.clone()


@contextlib.contextmanager
def float64_default() -> Iterator[None]:
    """Tables and constants that the reference makes are float64 too."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def load_references(assignment: Assignment) -> dict[str, types.ModuleType]:
    """The reference modules by stem; they may import each other by stem.

    Raises:
        AssignmentError: one of them does not import or lacks a symbol.
    """
    modules: dict[str, types.ModuleType] = {}
    for stem in _in_order_of_use(assignment):
        path = assignment.reference(stem)
        if not path.is_file():
            continue
        module = load_module(stem, path)
        absent = [symbol for symbol in assignment.exercise(stem).symbols if not hasattr(module, symbol)]
        if absent:
            raise AssignmentError(f"The reference `{path}` does not define `{'`, `'.join(absent)}`.")
        modules[stem] = module
    return modules


def _in_order_of_use(assignment: Assignment) -> list[str]:
    ordered: list[str] = []

    def visit(stem: str) -> None:
        if stem not in ordered:
            for used in assignment.exercise(stem).uses:
                visit(used)
            ordered.append(stem)

    for stem in assignment.stems:
        visit(stem)
    return ordered


def load_module(name: str, path: Path) -> types.ModuleType:
    """Import one staff file under `name`, whatever the current folder and `sys.path` are.

    Raises:
        AssignmentError: it does not import.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AssignmentError(f"`{path}` is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as err:  # an author's file may raise anything
        del sys.modules[name]
        raise AssignmentError(f"`{path}` does not import: {type(err).__name__}: {err}") from err
    return module
