"""What a student's exception looks like on the wire. Everything in it is the student's word."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import torch

from .modules import PREFIX

MAX_MESSAGE = 2000
MAX_FRAMES = 8
MAX_WALK = 2000


def describe(err: BaseException) -> dict[str, Any]:
    """Type, message and the student's own frames (module, line, function), outermost first."""
    return {
        "type": _safely(lambda: type.__dict__["__name__"].__get__(type(err)), 100),
        "message": _safely(lambda: _message(err), MAX_MESSAGE),
        "frames": list(_frames(err)),
        "memory": isinstance(err, (MemoryError, torch.OutOfMemoryError))
        or "can't allocate memory" in _safely(lambda: str(err), 5000),
        "exit": isinstance(err, (SystemExit, KeyboardInterrupt, GeneratorExit)),
        "unsupported": _is_unsupported(err),
    }


def _is_out_of_memory(err: BaseException) -> bool:
    if isinstance(err, (MemoryError, torch.OutOfMemoryError)):
        return True
    return "can't allocate memory" in _safely(lambda: str(err), 5000)


def _message(err: BaseException) -> str:
    if isinstance(err, SyntaxError):
        return f"{err.msg} (line {err.lineno})"
    return str(err)


def _safely(read: Any, limit: int) -> str:
    """Student exceptions may have a `__str__` that raises anything, or that returns something else."""
    try:
        value = read()
    except BaseException:  # noqa: BLE001  # it is the student's code that raises here
        return "(its message cannot be shown)"
    return str.__str__(value)[:limit] if isinstance(value, str) else "(its message is not text)"


def _frames(err: BaseException) -> Iterator[list[Any]]:
    """The last student frames, walked by hand: formatting would call student code."""
    own: list[list[Any]] = []
    step: types.TracebackType | None = BaseException.__dict__["__traceback__"].__get__(err)
    for _ in range(MAX_WALK):
        if step is None:
            break
        code = step.tb_frame.f_code
        if code.co_filename.startswith(PREFIX):
            module = code.co_filename[len(PREFIX) :].removesuffix(".py")
            own.append([module[:200], int(step.tb_lineno), code.co_name[:100]])
        step = step.tb_next
    yield from own[-MAX_FRAMES:]


def _is_unsupported(err: BaseException) -> bool:
    """True if the pretend accelerator, not the student, is to blame."""
    from . import devices

    return devices.is_unsupported(err)
