"""Parameters, buffers and attributes of a student's module, and what a call wrote into them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from . import devices, wire


def is_lazy(tensor: torch.Tensor) -> bool:
    return bool(nn.parameter.is_lazy(tensor))


def tensors_of(module: nn.Module) -> list[tuple[str, torch.Tensor]]:
    """Initialised parameters and buffers by dotted name."""
    named = [*module.named_parameters(), *module.named_buffers()]
    return [(name, tensor) for name, tensor in named if not is_lazy(tensor)]


def values_of(module: nn.Module) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """Parameters and buffers with a copy of their values: `.data` writes past every version counter."""
    with torch.no_grad():
        return {n: (t, devices.to_cpu(t.detach()).clone()) for n, t in tensors_of(module)}


def _is_unchanged(tensor: torch.Tensor, known: tuple[torch.Tensor, torch.Tensor] | None) -> bool:
    if known is None or known[0] is not tensor:
        return False
    now = devices.to_cpu(tensor.detach())
    return now.dtype == known[1].dtype and torch.equal(now, known[1])


def state_of(
    module: nn.Module, since: Mapping[str, tuple[torch.Tensor, torch.Tensor]] | None = None
) -> dict[str, Any]:
    """Parameters and buffers; with `since`, only those that are new, were replaced or written after it."""
    buffers = {name for name, _ in module.named_buffers()}
    lazy = any(is_lazy(p) for p in module.parameters())
    tensors: dict[str, Any] = {}
    for name, tensor in tensors_of(module):
        if not _is_unchanged(tensor, (since or {}).get(name)):
            tensors[name] = {"value": tensor, "grad": tensor.requires_grad, "buffer": name in buffers}
    return {"tensors": tensors, "lazy": lazy}


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
