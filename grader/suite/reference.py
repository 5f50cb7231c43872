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
from grader.suite.memo import Computed, Memo, key_of


class Reference:
    """Attribute access gives the reference's functions and classes.

    Results are float64. Inputs are copied, so the reference may write into them as the book does; a leaf
    that requires a gradient still receives it. A module that a function is given is no copy: the function may
    train it, in the dtype that it has. A function whose inputs need no gradient, and a module in evaluation
    mode whose inputs need none, compute without a graph; such results are remembered.
    """

    def __init__(self, modules: Mapping[str, types.ModuleType], specs: tuple[ExerciseSpec, ...]) -> None:
        self.memo = Memo()
        self._symbols = {
            symbol: getattr(modules[spec.stem], symbol)
            for spec in specs
            if spec.stem in modules
            for symbol in spec.symbols
        }

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._symbols:
            raise AttributeError(f"no reference defines `{name}`")
        return in_float64(self._symbols[name], self.memo)


def in_float64(symbol: Any, memo: Memo | None = None) -> Any:
    """A function or class that computes like `symbol`, in float64 and on copies of its inputs."""
    memo = Memo() if memo is None else memo
    if isinstance(symbol, type) and issubclass(symbol, nn.Module):
        return lambda *args, **kwargs: _construct(symbol, args, kwargs, memo)
    return _wrap_function(symbol, memo)


def _wrap_function(function: Callable[..., Any], memo: Memo) -> Callable[..., Any]:
    def compute(*args: Any, **kwargs: Any) -> Any:
        with float64_default():
            return function(*(widen(arg) for arg in args), **{key: widen(arg) for key, arg in kwargs.items()})

    def remember(*args: Any, **kwargs: Any) -> Any:
        if _needs_graph((args, kwargs)):
            return compute(*args, **kwargs)
        key = key_of(function.__qualname__, (args, kwargs))
        computed = memo.find(key)
        if computed is None:
            computed = Computed(compute(*args, **kwargs))
            memo.keep(key, computed)
        return copy_of(computed.result)

    return remember


def _needs_graph(inputs: Any) -> bool:
    """Inputs with which nothing can be remembered: a graph would be missing, or a module not be trained."""
    if isinstance(inputs, (torch.Tensor, nn.Module)):
        return isinstance(inputs, nn.Module) or inputs.requires_grad
    if isinstance(inputs, dict):
        inputs = tuple(inputs.values())
    return isinstance(inputs, (list, tuple)) and any(map(_needs_graph, inputs))


def copy_of(value: Any) -> Any:
    """What a check may write into without changing what is remembered."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    return type(value)(map(copy_of, value)) if type(value) in (list, tuple) else value


def _construct(cls: type[nn.Module], args: tuple[Any, ...], kwargs: dict[str, Any], memo: Memo) -> nn.Module:
    with float64_default():
        module = cls(*args, **kwargs)
    with torch.no_grad():
        for parameter in module.parameters():
            # Values that float32 can hold, so that a student's module gets exactly the same weights.
            parameter.copy_(parameter.float().double())
    inner = module.forward

    def compute(*inputs: Any, **named: Any) -> Any:
        with float64_default():
            return inner(*(widen(x) for x in inputs), **{key: widen(x) for key, x in named.items()})

    def forward(*inputs: Any, **named: Any) -> Any:
        if module.training or _needs_graph((inputs, named)):
            return compute(*inputs, **named)
        key = key_of(f"{cls.__qualname__}{args}{kwargs}", (inputs, named), module)
        computed = memo.find(key)
        if computed is None:
            before = dict(vars(module))
            with torch.no_grad():
                result = compute(*inputs, **named)
            computed = Computed(result, _new_tensors(module, before))
            memo.keep(key, computed)
        for name, tensor in computed.attributes.items():
            setattr(module, name, tensor.clone())
        return copy_of(computed.result)

    module.forward = forward
    return module


def _new_tensors(module: nn.Module, before: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Tensors that a call has put into plain attributes, such as the weights that it keeps."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, torch.Tensor) and before.get(name) is not value
    }


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
