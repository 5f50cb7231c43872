"""Process-wide state that student code may change: noticed, named and undone.

Taken before a check and compared after it, so that nothing reaches another check.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class _Aspect:
    name: str
    read: Callable[[], Any]
    restore: Callable[[Any], object]


def _set_default_device(device: torch.device) -> None:
    # A plain CPU default is the absence of the mode; setting it would slow every factory call.
    torch.set_default_device(None if device.type == "cpu" else device)


def _restore_environment(before: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)


def _restore_filters(before: tuple[Any, ...]) -> None:
    warnings.resetwarnings()
    warnings.filters[:] = list(before)  # type: ignore[index]


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"


_ASPECTS = (
    _Aspect("the default dtype (torch.set_default_dtype)", torch.get_default_dtype, torch.set_default_dtype),
    _Aspect("the default device (torch.set_default_device)", torch.get_default_device, _set_default_device),
    _Aspect("the grad mode (torch.set_grad_enabled)", torch.is_grad_enabled, torch.set_grad_enabled),
    _Aspect("the number of threads (torch.set_num_threads)", torch.get_num_threads, torch.set_num_threads),
    _Aspect(
        "deterministic algorithms (torch.use_deterministic_algorithms)",
        torch.are_deterministic_algorithms_enabled,
        torch.use_deterministic_algorithms,
    ),
    _Aspect(
        "anomaly detection (torch.autograd.set_detect_anomaly)",
        torch.is_anomaly_enabled,
        torch.set_anomaly_enabled,
    ),
    _Aspect(
        "TF32 (torch.set_float32_matmul_precision)",
        torch.get_float32_matmul_precision,
        torch.set_float32_matmul_precision,
    ),
    _Aspect("the warning filters", lambda: tuple(warnings.filters), _restore_filters),
    _Aspect("the working folder (os.chdir)", _working_folder, os.chdir),
    _Aspect("the environment (os.environ)", lambda: dict(os.environ), _restore_environment),
    _Aspect("the recursion limit (sys.setrecursionlimit)", sys.getrecursionlimit, sys.setrecursionlimit),
)

# What cannot be put back for sure: the worker is replaced instead.
_PATCHABLE = {
    f"{module.__name__}.{name}": (module, name)
    for module, names in (
        (
            torch,
            ("softmax", "bmm", "matmul", "einsum", "allclose", "equal", "manual_seed", "tensor", "arange"),
        ),
        (torch.nn.functional, ("softmax", "dropout", "linear", "scaled_dot_product_attention")),
        (torch.testing, ("assert_close",)),
        (torch.nn.Module, ("__call__", "forward", "state_dict", "load_state_dict", "named_parameters")),
        (torch.Tensor, ("backward", "detach", "clone", "__add__", "__mul__", "__matmul__")),
    )
    for name in names
}


@dataclass(frozen=True)
class StateChange:
    name: str
    undone: bool


class Audit:
    """Remembers the state at its creation; `changes` compares with it and puts it back."""

    def __init__(self) -> None:
        self._before = [(aspect, aspect.read()) for aspect in _ASPECTS]
        self._patchable = {name: getattr(*place) for name, place in _PATCHABLE.items()}
        self._threads = threading.active_count()

    def changes(self) -> list[StateChange]:
        found: list[StateChange] = []
        for aspect, before in self._before:
            if aspect.read() != before:
                aspect.restore(before)
                found.append(StateChange(aspect.name, undone=aspect.read() == before))
        for name, before in self._patchable.items():
            if getattr(*_PATCHABLE[name]) is not before:
                found.append(StateChange(f"`{name}` (replaced)", undone=False))
        if threading.active_count() > self._threads:
            found.append(StateChange("the number of running threads", undone=False))
        return found


def seed_everything(seed: int) -> None:
    """Start one call from a known state of every generator."""
    torch.manual_seed(seed)
    random.seed(seed)
