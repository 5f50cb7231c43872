"""Where a worker computes: the CPU, a real accelerator, or the pretend one.

Nothing here touches an accelerator until a request names one: CUDA must be initialised after the fork.
"""

from __future__ import annotations

import os
from typing import Any

import torch

PRETEND = "pretend"


class NotAvailable(Exception):
    """The device that was asked for cannot be used on this machine."""


def set_up(name: str) -> None:
    """Make device `name` ("cpu", "pretend", "cuda", "mps", "xpu") usable in this process.

    Raises:
        NotAvailable: with the reason.
    """
    if name == "cpu":
        return
    if name == PRETEND:
        from . import pretend

        try:
            pretend.set_up()
        except pretend.NotAvailable as err:
            raise NotAvailable(str(err)) from err
        return
    if not torch.accelerator.is_available():
        raise NotAvailable("torch sees no accelerator")
    found = torch.accelerator.current_accelerator()
    if found is None or found.type != name:
        raise NotAvailable(f"the accelerator of this machine is {found}, not {name}")
    # Same numbers as on the CPU, run after run.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    _try_out(name)


def _try_out(name: str) -> None:
    """One small computation: a device that is seen but cannot be used is not available."""
    try:
        total = float((torch.ones(2, device=name) + 1).sum())
        torch.accelerator.synchronize()
    except (RuntimeError, OSError, AssertionError) as err:
        raise NotAvailable(f"{name} is there but does not work: {str(err).partition(chr(10))[0]}") from err
    if total != 4.0:
        raise NotAvailable(f"{name} is there but computes 1 + 1 + 1 + 1 = {total:g}")


def accelerator_name() -> str | None:
    """The type of the real accelerator of this machine, or None."""
    if not hasattr(torch, "accelerator") or not torch.accelerator.is_available():
        return None
    found = torch.accelerator.current_accelerator()
    return None if found is None else found.type


def to_device(tensor: torch.Tensor, name: str) -> torch.Tensor:
    if name == "cpu":
        return tensor
    if name == PRETEND:
        from . import pretend

        return pretend.to_device(tensor)
    return tensor.to(name)


def to_cpu(tensor: torch.Tensor) -> torch.Tensor:
    if type(tensor) is torch.Tensor and tensor.is_cpu:  # by far the most
        return tensor
    if tensor.device.type == "privateuseone" or tensor.device.type == PRETEND:
        from . import pretend

        return pretend.to_cpu(tensor)
    return tensor.cpu()


def torch_device(name: str) -> torch.device:
    if name == PRETEND:
        from . import pretend

        return torch.device(pretend.DEVICE)
    return torch.device(name)


def synchronise(name: str) -> None:
    """Wait for asynchronous work, so that an error is raised in the call that caused it."""
    if name not in ("cpu", PRETEND):
        torch.accelerator.synchronize()


def is_unsupported(err: BaseException) -> bool:
    from . import pretend

    return bool(pretend.is_unsupported(err))


def move_module(module: torch.nn.Module, name: str) -> Any:
    return module if name == "cpu" else module.to(torch_device(name))
