"""Errors in a backward pass on the pretend device.

While PyTorch's engine leaves a step on a Python error, it switches streams back and asks the device for
its type. For a device registered from Python that is a call into Python with an error pending, which
ends the process. So no Python error leaves an operator or a hook during a backward pass: it is kept here,
PyTorch is made to raise an error of its own, and the kept one replaces that at the end of the pass.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from typing import Any

import torch

_kept: contextvars.ContextVar[BaseException | None] = contextvars.ContextVar("kept", default=None)


def is_running() -> bool:
    """True inside a backward pass."""
    return bool(torch._C._current_graph_task_id() != -1)


def keep(err: BaseException) -> str:
    """Keep an operator's error. What is returned is no result of any operator: PyTorch will say so."""
    _kept.set(err)
    return f"{type(err).__name__}: {err}"


def watch(hook: Callable[[torch.Tensor], Any]) -> Callable[[torch.Tensor], Any]:
    """A hook that raises nothing: after an error it returns a gradient of a size that PyTorch refuses."""

    @functools.wraps(hook)
    def watched(grad: torch.Tensor) -> Any:
        try:
            return hook(grad)
        except BaseException as err:  # noqa: BLE001  # whatever it is, it is raised again at the end of the pass
            if _kept.get() is None:  # else it is what PyTorch made of an operator's error
                _kept.set(err)
            return torch.empty((*grad.shape, 0), device=grad.device, dtype=grad.dtype)

    return watched


def install() -> None:
    """Let `torch.autograd.backward` and `torch.autograd.grad` raise what was kept."""
    autograd: Any = torch.autograd
    original = autograd._engine_run_backward

    @functools.wraps(original)
    def run_backward(*args: Any, **kwargs: Any) -> Any:
        _kept.set(None)
        try:
            return original(*args, **kwargs)
        except RuntimeError:
            err = _kept.get()
            if err is None:
                raise
            raise err from None
        finally:
            _kept.set(None)

    autograd._engine_run_backward = run_backward
