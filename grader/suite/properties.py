"""Properties that several exercises promise: inputs left alone, and dropout as `nn.Dropout` does it."""

from __future__ import annotations

from typing import Any

import torch

from grader.student.handle import Student
from grader.suite.failures import fail, require

# Six standard deviations of the dropped share at 700 entries: honest code never gets there.
MAX_RATE_ERROR = 0.11
KEPT_TOLERANCE = 1e-3


def check_untouched(student: Student, **before: Any) -> None:
    """Fail unless the last call left its positional arguments as they were.

    `before` holds what was passed, in order; the names are those that a student knows the arguments by.

    Raises:
        CheckFailed: naming the first argument that was changed.
    """
    after = student.arguments_after_call()
    for position, (name, kept) in enumerate(before.items()):
        left = after[position] if position < len(after) else None
        if isinstance(kept, torch.Tensor) and not _is_same(kept, left):
            fail(
                f"The call changed its argument `{name}`, which belongs to the caller.",
                reason="state",
                hint=f"Look for `{name} += ...`, for methods that end in `_`, and for `{name}[...] = ...`.",
            )


def _is_same(kept: torch.Tensor, left: Any) -> bool:
    if not isinstance(left, torch.Tensor) or left.dtype != kept.dtype:
        return False
    return torch.equal(left.detach(), kept.detach())


def check_dropped(dropped: torch.Tensor, full: torch.Tensor, rate: float, *, name: str) -> None:
    """Fail unless `dropped` is `full` after dropout: about `rate` of it 0, the rest times 1 / (1 - rate).

    Both have the same shape, of at least 700 entries, none of them 0 in `full`.

    Raises:
        CheckFailed: saying what `dropped` looks like instead.
    """
    found, kept = dropped.detach().double(), full.detach().double()
    is_zero = found == 0
    ratio = (found / kept)[~is_zero]
    factor = 1 / (1 - rate)
    percent = f"{100 * rate:.0f} %"
    if not bool(is_zero.any()) and _is_near(found, kept):
        fail(
            f"In training mode {name} are complete; about {percent} of them should be dropped.",
            hint="Does the module use its dropout layer, in training mode?",
        )
    if not _is_near(found[~is_zero], kept[~is_zero] * factor):
        spread = float(ratio.max() - ratio.min()) if ratio.numel() else 0.0
        seen = f"all times {float(ratio.mean()):.3g}" if spread < 0.01 else "changed in other ways"
        fail(
            f"In training mode {name} that are kept are {seen}; at rate {rate:g} they should be all times "
            f"1 / (1 - {rate:g}) = {factor:.3g}, and the others 0.",
            hint="Apply `nn.Dropout(dropout)` once, and to the right tensor.",
        )
    share = float(is_zero.double().mean())
    require(
        abs(share - rate) <= MAX_RATE_ERROR,
        f"In training mode {100 * share:.0f} % of {name} are dropped; at rate {rate:g} expected {percent}.",
        hint="Is dropout applied once, at the rate that the constructor was given?",
    )
    for axis in range(is_zero.dim()):
        together = bool((is_zero == is_zero.narrow(axis, 0, 1)).all())
        require(
            not together or is_zero.shape[axis] == 1,
            f"In training mode {name} are dropped together along axis {axis}; expected each on its own.",
            hint="Use `nn.Dropout`, which draws for every entry.",
        )


def _is_near(found: torch.Tensor, expected: torch.Tensor) -> bool:
    error = (found - expected).abs() / expected.abs().clamp(min=1.0)
    return not error.numel() or float(error.max()) <= KEPT_TOLERANCE
