"""Parameters, buffers and attributes of a student's module, and what a call wrote into them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import nn

from . import devices, wire

_is_lazy, _is_equal = nn.parameter.is_lazy, torch.equal


def _initialised(named: Iterable[tuple[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    return {name: tensor for name, tensor in named if not _is_lazy(tensor)}


class Before:
    """Parameters and buffers as a call finds them, with a copy of their values.

    `parameters` are the initialised ones by dotted name; `known` has the buffers too.
    """

    def __init__(self, module: nn.Module) -> None:
        self.parameters = _initialised(module.named_parameters())
        # `.data` writes past every version counter: only a copy tells.
        self.known = {
            name: (tensor, devices.to_cpu(tensor.detach()).clone())
            for name, tensor in (self.parameters | _initialised(module.named_buffers())).items()
        }

    def has(self, name: str, tensor: torch.Tensor) -> bool:
        """It was there, and is as it was."""
        known = self.known.get(name)
        if known is None or known[0] is not tensor:
            return False
        now = devices.to_cpu(tensor.detach())
        return now.dtype == known[1].dtype and _is_equal(now, known[1])


def state_of(module: nn.Module, since: Before | None = None) -> dict[str, Any]:
    """Parameters and buffers; with `since`, only those that are new, were replaced or written after it."""
    parameters, buffers = list(module.named_parameters()), list(module.named_buffers())
    names = {name for name, _ in buffers}
    lazy = [_is_lazy(tensor) for _, tensor in parameters + buffers]
    tensors: dict[str, Any] = {}
    for (name, tensor), has_no_value in zip(parameters + buffers, lazy, strict=True):
        if not has_no_value and not (since and since.has(name, tensor)):
            tensors[name] = {"value": tensor, "grad": tensor.requires_grad, "buffer": name in names}
    return {"tensors": tensors, "lazy": any(lazy[: len(parameters)])}


def bring_state(module: nn.Module, state: Mapping[str, torch.Tensor], device: str) -> None:
    """Write the trusted side's parameters and buffers into the module, in place where possible."""
    if not state:
        return
    own = _initialised(module.named_parameters()) | _initialised(module.named_buffers())
    with torch.no_grad():
        for name, value in state.items():
            value = devices.to_device(value, device)
            if own[name].dtype == value.dtype and own[name].shape == value.shape:
                # Past the version counter: graphs of earlier calls stay valid.
                own[name].data.copy_(value)
            else:
                own[name].data = value.clone()


def seen(value: Any) -> dict[str, Any]:
    is_tensor = isinstance(value, torch.Tensor)
    kind = "parameter" if isinstance(value, nn.Parameter) else "tensor" if is_tensor else ""
    return {"found": True, "value": value, "kind": kind}


def looks_at(owner: nn.Module, names: list[str]) -> dict[str, Any]:
    """Those attributes that are small tensors: the others are asked for by name, and told apart there."""
    looks: dict[str, Any] = {}
    for name in names:
        try:
            value = getattr(owner, name, None)
        except Exception:  # noqa: BLE001  # a property may raise anything; whoever asks for it is told
            continue
        if isinstance(value, torch.Tensor) and wire.travels_lightly(value):
            looks[name] = seen(value)
    return looks
