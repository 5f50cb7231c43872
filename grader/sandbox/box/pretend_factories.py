"""What PyTorch makes past its operators, taught to make it on the pretend device.

`torch.tensor` and its kin copy Python values straight into memory, and a lazy parameter changes its own
memory when its shape becomes known; neither works for a tensor without memory. The first are wrapped to
build on the CPU and move; the second swaps itself for a new parameter.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter, UninitializedTensorMixin

from .pretend_rules import TYPE
from .pretend_surface import DEVICE
from .pretend_tensor import PretendTensor

_MARK = "_is_for_pretend"  # on lazy parameters and buffers that will live on the pretend device


def install() -> None:
    """Wrap the functions for this process. Where no pretend device is named they do what they did."""
    pytorch: Any = torch  # assigned to below; its stubs do not expect that
    for name in ("tensor", "as_tensor", "asarray"):
        setattr(pytorch, name, _build_then_move(getattr(pytorch, name)))
    pytorch.Tensor.new_tensor = _new_tensor_anywhere(pytorch.Tensor.new_tensor)
    mixin: Any = UninitializedTensorMixin
    mixin.to, mixin.cpu, mixin.device = _lazy_to, _lazy_cpu, property(_lazy_device)
    mixin.materialize = _materialize_anywhere(mixin.materialize)
    for kind in (UninitializedParameter, UninitializedBuffer):
        _make_lazy_anywhere(kind)


def _is_ours(device: Any) -> bool:
    """Whether a factory's `device` argument means the pretend device; None means the default one."""
    found = torch.empty(0).device if device is None else torch.device(device)
    return bool(found.type == TYPE)


def _build_then_move(original: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.tensor`, `torch.as_tensor` or `torch.asarray`, for any device."""
    copies = original.__name__ == "tensor"

    @functools.wraps(original)
    def build(*args: Any, **kwargs: Any) -> Any:
        source = args[0] if args else kwargs.get("data", kwargs.get("obj"))
        device = args[2] if len(args) > 2 else kwargs.get("device")
        if device is None and isinstance(source, PretendTensor):
            device = source.device
        if not _is_ours(device):
            return original(_readable(args[0]), *args[1:], **kwargs) if args else original(**kwargs)
        wanted = {"dtype": args[1]} if len(args) > 1 else {k: kwargs[k] for k in ("dtype",) if k in kwargs}
        if isinstance(source, torch.Tensor) and not copies:
            return source.to(device=DEVICE, dtype=wanted.get("dtype"))
        built = original(_readable(source), device="cpu", **wanted).to(DEVICE)
        return built.requires_grad_() if kwargs.get("requires_grad") else built

    return build


def _readable(source: Any) -> Any:
    """`source`, a tensor or nested lists of numbers, with values in place of tensors of ours."""
    if isinstance(source, PretendTensor):
        return source.detach().cpu() if source.dim() else source.item()
    if type(source) in (list, tuple) and any(isinstance(p, (PretendTensor, list, tuple)) for p in source):
        return [_readable(part) for part in source]
    return source


def _new_tensor_anywhere(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def new_tensor(self: torch.Tensor, data: Any, **kwargs: Any) -> Any:
        device = kwargs.pop("device", None)
        if not _is_ours(self.device if device is None else device):
            return (
                original(self, data, **kwargs)
                if device is None
                else original(self, data, device=device, **kwargs)
            )
        dtype = kwargs.pop("dtype", None)
        return torch.tensor(data, dtype=self.dtype if dtype is None else dtype, device=DEVICE, **kwargs)

    return new_tensor


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
    found: torch.device = torch.Tensor.device.__get__(self)  # type: ignore[attr-defined]
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
