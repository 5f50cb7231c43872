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

import numpy
import torch

_CPU, _Environment = torch.device("cpu"), type(os.environ)
_mode_count = torch._C._len_torch_function_stack


@dataclass(frozen=True)
class _Aspect:
    name: str
    read: Callable[[], Any]
    restore: Callable[[Any], object]


def _default_device() -> tuple[torch.device, torch.device | None]:
    """As torch tells it, and as it was set: on the pretend device torch asks another factory."""
    kept = getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None)
    context = getattr(kept, "device_context", None)
    if context is None and not _mode_count():  # torch would say so too, after two imports
        return _CPU, None
    return torch.get_default_device(), getattr(context, "device", None)


def _set_default_device(before: tuple[torch.device, torch.device | None]) -> None:
    # A plain CPU default is the absence of the mode; setting it would slow every factory call.
    torch.set_default_device(before[1])


def _environment() -> dict[Any, Any]:
    """As bytes where it is what it should be: to decode it all takes longer than the rest of the audit."""
    environ = os.environ
    raw = getattr(environ, "_data", None) if type(environ) is _Environment else None
    return dict(raw) if type(raw) is dict else {_encoded(k): _encoded(v) for k, v in dict(environ).items()}


def _encoded(part: Any) -> Any:
    return os.fsencode(part) if isinstance(part, str) else part


def _restore_environment(before: dict[Any, Any]) -> None:
    os.environ.clear()
    os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in before.items()})


def _restore_filters(before: tuple[Any, ...]) -> None:
    warnings.resetwarnings()
    warnings.filters[:] = list(before)  # type: ignore[index]


def _streams() -> tuple[Any, ...]:
    return sys.stdin, sys.stdout, sys.stderr


def _restore_streams(before: tuple[Any, ...]) -> None:
    sys.stdin, sys.stdout, sys.stderr = before


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"


_GRAD_MODE = "the grad mode (torch.set_grad_enabled)"
_ASPECTS = (
    _Aspect("the default dtype (torch.set_default_dtype)", torch.get_default_dtype, torch.set_default_dtype),
    _Aspect("the default device (torch.set_default_device)", _default_device, _set_default_device),
    _Aspect(_GRAD_MODE, torch.is_grad_enabled, torch.set_grad_enabled),
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
    _Aspect("the environment (os.environ)", _environment, _restore_environment),
    _Aspect("the standard streams (sys.stdout)", _streams, _restore_streams),
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


_THREADS = "the number of running threads"


def _replaced(name: str) -> str:
    return f"`{name}` (replaced)"


NAMES = frozenset({*(aspect.name for aspect in _ASPECTS), *map(_replaced, _PATCHABLE), _THREADS})
"""All that `Audit.changes` can name; what else a worker names did not come from here."""


@dataclass(frozen=True)
class StateChange:
    name: str
    undone: bool


class Audit:
    """Remembers the state at its creation; `changes` compares with it and puts it back."""

    def __init__(self) -> None:
        self._before = [(aspect, aspect.read()) for aspect in _ASPECTS]
        self._patchable = [
            (name, owner, attribute, getattr(owner, attribute))
            for name, (owner, attribute) in _PATCHABLE.items()
        ]
        self._threads = threading.active_count()
        self._seen: list[StateChange] = []

    def look_inside(self, grad_mode: bool) -> None:
        """At the end of a call, while the grad mode that it was given still holds."""
        if torch.is_grad_enabled() is not grad_mode:
            self._seen = [StateChange(_GRAD_MODE, undone=True)]

    def changes(self) -> list[StateChange]:
        found, self._seen = self._seen, []
        for aspect, before in self._before:
            if aspect.read() != before:
                aspect.restore(before)
                found.append(StateChange(aspect.name, undone=aspect.read() == before))
        for name, owner, attribute, original in self._patchable:
            if getattr(owner, attribute) is not original:
                found.append(StateChange(_replaced(name), undone=False))
        if threading.active_count() > self._threads:
            found.append(StateChange(_THREADS, undone=False))
        return found


def seed_everything(seed: int, device: str = "cpu") -> None:
    """Start one call from a known state of every generator.

    `torch.manual_seed` seeds absent devices too, and keeps a stack trace for each: half a millisecond a call.
    """
    if device in ("cpu", "pretend"):
        torch.default_generator.manual_seed(seed)
    else:
        torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)
