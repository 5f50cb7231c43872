"""What PyTorch makes past its operators, taught to make it on the pretend device.

`torch.tensor([a, b])` reads numbers out of the memory of `a` and `b`, and a lazy parameter changes its own
memory when its shape becomes known; neither works for a tensor without memory. The first is given the
numbers; the second swaps itself for a new parameter.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.utils._device as device_lookup
from torch.nn.parameter import (  # type: ignore[attr-defined]  # one is not in torch's stub
    UninitializedBuffer,
    UninitializedParameter,
    UninitializedTensorMixin,
)

from .pretend_rules import TYPE
from .pretend_surface import DEVICE, plain_numbers

_MARK = "_is_for_pretend"  # on lazy parameters and buffers that will live on the pretend device


def install() -> None:
    """Wrap the functions for this process. Where no pretend device is named they do what they did."""
    pytorch: Any = torch  # assigned to below; its stubs do not expect that
    look_up_originals()
    for name in ("tensor", "as_tensor", "asarray"):
        setattr(pytorch, name, _reading_numbers(getattr(pytorch, name)))
    mixin: Any = UninitializedTensorMixin
    mixin.to, mixin.cpu, mixin.device = _lazy_to, _lazy_cpu, property(_lazy_device)
    mixin.materialize = _materialize_anywhere(mixin.materialize)
    for kind in (UninitializedParameter, UninitializedBuffer):
        _make_lazy_anywhere(kind)


def look_up_originals() -> None:
    """Let `with torch.device(...)`, which does so once, find the functions as PyTorch has them."""
    device_lookup._device_constructors()


def _is_ours(device: Any) -> bool:
    """Whether a factory's `device` argument means the pretend device; None means the default one."""
    found = torch.empty(0).device if device is None else torch.device(device)
    return bool(found.type == TYPE)


def _reading_numbers(original: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.tensor` and its kin for lists in which there are tensors of ours."""

    @functools.wraps(original)
    def build(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) in (list, tuple):
            return original(plain_numbers(args[0]), *args[1:], **kwargs)
        return original(*args, **kwargs)

    return build


def _lazy_to(self: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    """`.to` of a lazy parameter: it has no values yet, so it only remembers where it will live."""
    device, dtype, *_ = torch._C._nn._parse_to(*args, **kwargs)
    is_for_pretend = getattr(self, _MARK, False) if device is None else device.type == TYPE
    changes: dict[str, Any] = {} if dtype is None else {"dtype": dtype}
    if device is not None and not is_for_pretend:
        changes["device"] = device
    moved = torch.Tensor.to(self, **changes) if changes else self
    setattr(moved, _MARK, is_for_pretend)
    return moved


def _lazy_cpu(self: torch.Tensor) -> torch.Tensor:
    return _lazy_to(self, "cpu")


def _lazy_device(self: torch.Tensor) -> torch.device:
    found: torch.device = torch.Tensor.device.__get__(self)
    return torch.device(DEVICE) if getattr(self, _MARK, False) else found


def _materialize_anywhere(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        is_for_pretend = getattr(self, _MARK, False) if device is None else _is_ours(device)
        if not is_for_pretend:
            original(self, shape, device, dtype)
            return
        made = torch.empty(shape, device=DEVICE, dtype=dtype or self.data.dtype)
        if isinstance(self, torch.nn.Parameter):
            made = torch.nn.Parameter(made, self.requires_grad)
        torch.utils.swap_tensors(self, made)  # everyone who holds the lazy parameter now holds the new one

    return materialize


def _make_lazy_anywhere(kind: Any) -> None:
    """Let `UninitializedParameter(device=...)` name the pretend device, and copies remember it."""
    make, twin_of = kind.__new__, kind.__deepcopy__

    def new(cls: Any, requires_grad: bool = True, device: Any = None, dtype: Any = None, **rest: Any) -> Any:
        is_for_pretend = _is_ours(device)
        made = make(cls, requires_grad, "cpu" if is_for_pretend else device, dtype, **rest)
        setattr(made, _MARK, is_for_pretend)
        return made

    def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
        twin = twin_of(self, memo)
        setattr(twin, _MARK, getattr(self, _MARK, False))
        return twin

    kind.__new__, kind.__deepcopy__ = new, deepcopy
