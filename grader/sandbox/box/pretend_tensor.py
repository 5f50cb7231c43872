"""The tensor of the pretend accelerator, and how an operation on it runs.

A `PretendTensor` is a shell without memory that says `device='pretend:0'`; its numbers are in `raw`, an
ordinary CPU tensor. Autograd sees shells. Every operation arrives below autograd in `run`, which takes
the raw tensors out, refuses what a real accelerator refuses, runs the CPU's kernel and puts results into
new shells. Three rules keep values right:

- a shell's sizes, strides and offset equal its raw tensor's, so autograd's own view arithmetic holds;
- the raw tensor of a view is a view of the raw tensor of its base, so a write through either is seen;
- an operation that gives back one of its inputs (in place, `out=`) gives back the very same shell.

What cannot keep them raises `Unsupported`. Importing this module registers nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import torch

from . import pretend_backward
from .pretend_rules import TYPE, refuse_generator, refuse_mixture
from .pretend_surface import CPU, DEVICE, Surface, Unsupported

# Operators that would give a shell other memory than its raw tensor has.
_REPLACES_MEMORY = frozenset(f"aten::{name}" for name in ("set_", "_resize_output_"))

# Below autograd PyTorch takes a tensor that is conjugated or negated in name only for a plain one; while a
# CPU kernel runs it must look again.
_see: Any = torch._C._SetExcludeDispatchKeyGuard
_CONJUGATE: Any = torch._C.DispatchKey.Conjugate
_NEGATIVE: Any = torch._C.DispatchKey.Negative
_VIEW_AS_REAL = torch.ops.aten.view_as_real.default
_Values = Sequence[Any]
_Kernel = Callable[["torch._ops.OpOverload", _Values, Mapping[str, Any]], Any]


class PretendTensor(Surface):
    """A tensor on `pretend:0`: a shell around `raw`."""

    @staticmethod
    def __new__(cls, raw: torch.Tensor, requires_grad: bool = False) -> PretendTensor:
        if (
            type(raw) is not torch.Tensor
            or raw.layout is not torch.strided
            or raw.is_quantized
            or raw.is_nested
        ):
            raise Unsupported("the pretend accelerator has plain strided tensors only")
        shell: PretendTensor = torch.Tensor._make_wrapper_subclass(
            cls,
            raw.size(),
            strides=raw.stride(),
            storage_offset=raw.storage_offset(),
            dtype=raw.dtype,
            device=DEVICE,  # type: ignore[arg-type]  # a string is taken, and is faster
            requires_grad=requires_grad,
        )
        shell.raw = raw
        return shell

    def __init__(self, raw: torch.Tensor, requires_grad: bool = False) -> None:
        pass

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls,
        func: torch._ops.OpOverload,
        types: Any,
        args: _Values = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        return run(func, args, kwargs or {})


class _Call:
    """The tensors of one call: `shells` by the identity of what the CPU kernel sees, and CPU ones aside."""

    __slots__ = ("elsewhere", "numbers", "on_cpu", "shells")

    def __init__(self) -> None:
        self.shells: dict[int, PretendTensor] = {}
        self.on_cpu: list[torch.Tensor] = []
        self.numbers: list[torch.Tensor] = []  # CPU tensors without dimensions, allowed nearly everywhere
        self.elsewhere = False  # the result is asked for on another device

    def enter(self, value: Any) -> Any:
        """`value` as the CPU kernel should see it."""
        if isinstance(value, torch.Tensor):
            if isinstance(value, PretendTensor):
                raw = value.raw
                self.shells[id(raw)] = value
                return raw
            (self.on_cpu if value.dim() else self.numbers).append(value)
            return value
        kind = type(value)
        if kind is list or kind is tuple:
            return kind([self.enter(part) for part in value])
        if kind is torch.device:
            if value.type == TYPE:
                return CPU
            self.elsewhere = True
        return value

    def leave(self, value: Any) -> Any:
        """`value` as the caller should see it: tensors in shells, inputs as the objects they were."""
        if isinstance(value, torch.Tensor):
            known = self.shells.get(id(value))
            if known is not None:
                return known
            if self.elsewhere or any(value is given for given in (*self.on_cpu, *self.numbers)):
                return value
            return PretendTensor(value)
        kind = type(value)
        if kind is list or kind is tuple:
            return kind([self.leave(part) for part in value])
        return value


def run(func: torch._ops.OpOverload, args: _Values, kwargs: Mapping[str, Any]) -> Any:
    """One operator on shells, CPU tensors and plain values.

    Raises:
        DeviceMixture: where a real accelerator would refuse the devices.
        Unsupported: where the CPU has no kernel, or the result cannot be put into a shell.
    """
    try:
        return _kernel_of(func)(func, args, kwargs)
    except BaseException as err:  # kept and raised again at the end of the pass
        if not pretend_backward.is_running():
            raise
        return pretend_backward.keep(err)


@functools.cache
def _kernel_of(func: torch._ops.OpOverload) -> _Kernel:
    name = func._schema.name
    if name in _REPLACES_MEMORY or func.namespace not in ("aten", "prims"):
        return _refuse
    if name == "aten::copy_":
        return _copy
    return _compute


def _refuse(func: torch._ops.OpOverload, args: _Values, kwargs: Mapping[str, Any]) -> NoReturn:
    raise Unsupported(f"the pretend accelerator has no {func}")


def _compute(func: torch._ops.OpOverload, args: _Values, kwargs: Mapping[str, Any]) -> Any:
    call = _Call()
    raw_args = [call.enter(value) for value in args]
    raw_kwargs = {key: call.enter(value) for key, value in kwargs.items()} if kwargs else {}
    if (call.on_cpu or call.numbers) and call.shells:
        refuse_mixture(func, args, kwargs)
    if kwargs and not call.elsewhere:
        refuse_generator(kwargs.get("generator"))
    try:
        with _see(_CONJUGATE, False), _see(_NEGATIVE, False):
            if (
                func is _VIEW_AS_REAL
            ):  # the caller could not resolve it: a shell does not show that it is lazy
                raw_args[0] = raw_args[0].resolve_conj()
            result = func(*raw_args, **raw_kwargs)
    except NotImplementedError as err:
        raise Unsupported(f"the CPU has no kernel for {func}") from err
    if func._schema.is_mutable:
        for shell in call.shells.values():
            _fit(shell)
    return call.leave(result)


def _copy(func: torch._ops.OpOverload, args: _Values, kwargs: Mapping[str, Any]) -> Any:
    """The one operator that may cross devices."""
    enter = _Call().enter
    with _see(_CONJUGATE, False), _see(_NEGATIVE, False):
        func(*[enter(value) for value in args], **kwargs)
    return args[0]


def _fit(shell: PretendTensor) -> None:
    """Give a shell the sizes of its raw tensor, after `transpose_` and the like or an `out=` that grew."""
    raw = shell.raw
    if (
        shell.size() != raw.size()
        or shell.stride() != raw.stride()
        or shell.storage_offset() != raw.storage_offset()
    ):
        torch.Tensor.data.__set__(shell, PretendTensor(raw))  # type: ignore[attr-defined]
