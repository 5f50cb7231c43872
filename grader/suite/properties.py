"""Properties that several exercises promise: inputs left alone, and dropout as `nn.Dropout` does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.student.handle import Student
from grader.suite.failures import fail, require

# Six standard deviations of the dropped share at 700 entries: honest code never gets there.
MAX_RATE_ERROR = 0.11
KEPT_TOLERANCE = 1e-3


def parts_of(result: Any, *names: str) -> Sequence[Any]:
    """The parts of a result that has several: as many as there are `names`, in a tuple or a list.

    Raises:
        CheckFailed: it has not.
    """
    is_several = isinstance(result, (tuple, list))
    if not is_several or len(result) != len(names):
        came = f"a {type(result).__name__} of {len(result)}" if is_several else f"`{type(result).__name__}`"
        fail(
            f"The result: {came}, expected {len(names)} things: {', '.join(names)}.",
            reason="type",
            hint="Did a `return` get lost?" if result is None else "",
            misconception="returns_nothing" if result is None else "returns_one_part",
        )
    parts: Sequence[Any] = result
    return parts


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
                misconception="inputs_changed",
            )


def _is_same(kept: torch.Tensor, left: Any) -> bool:
    if not isinstance(left, torch.Tensor) or left.dtype != kept.dtype:
        return False
    return torch.equal(left.detach(), kept.detach())


def check_dropped(dropped: torch.Tensor, full: torch.Tensor, rate: float, *, name: str) -> None:
    """Fail unless `dropped` is `full` after dropout: about `rate` of it 0, the rest times 1 / (1 - rate).

    Both have the same shape, of at least 700 entries, none of them 0 in `full`. `name` is a plural.

    Raises:
        CheckFailed: saying what `dropped` looks like instead.
    """
    seen = _look_at(dropped.detach().double(), full.detach().double())
    factor = 1 / (1 - rate)
    if seen.share == 0 and seen.is_scaled_by(1.0):
        fail(
            f"In training mode {name} are complete; about {_percent(rate)} of them should be dropped.",
            hint="Does the module use its dropout layer, in training mode?",
            misconception="dropout_never_applied",
        )
    if not seen.is_scaled_by(factor):
        how = f"all times {seen.ratio:.3g}" if seen.is_scaled_by(seen.ratio) else "changed in other ways"
        fail(
            f"In training mode {name} that are not 0 are {how}; at rate {rate:g} they should be all times "
            f"1 / (1 - {rate:g}) = {factor:.3g}.",
            hint="Apply `nn.Dropout(dropout)` once, and to the right tensor.",
            misconception=_name_of_factor(seen, rate),
        )
    require(
        abs(seen.share - rate) <= MAX_RATE_ERROR,
        f"In training mode {_percent(seen.share)} of {name} are dropped; at rate {rate:g} expected "
        f"{_percent(rate)}.",
        hint="Is dropout applied once, at the rate that the constructor was given?",
    )
    for axis in range(seen.is_zero.dim()):
        is_together = bool((seen.is_zero == seen.is_zero.narrow(axis, 0, 1)).all())
        require(
            not is_together or seen.is_zero.shape[axis] == 1,
            f"In training mode {name} are dropped together along axis {axis}; expected each on its own.",
            hint="Use `nn.Dropout`, which draws for every entry.",
            misconception="dropout_of_features",
        )


@dataclass(frozen=True)
class _Look:
    """Entries that became 0, their share, and the typical factor of the others."""

    found: torch.Tensor
    kept: torch.Tensor
    is_zero: torch.Tensor
    share: float
    ratio: float

    def is_scaled_by(self, factor: float) -> bool:
        """Every entry that is not 0 is `factor` times what it was."""
        found, expected = self.found[~self.is_zero], self.kept[~self.is_zero] * factor
        error = (found - expected).abs() / expected.abs().clamp(min=1.0)
        return not error.numel() or float(error.max()) <= KEPT_TOLERANCE

    def is_dropped_at(self, rate: float) -> bool:
        """The share fits `rate`."""
        return abs(self.share - rate) <= MAX_RATE_ERROR


def _look_at(found: torch.Tensor, kept: torch.Tensor) -> _Look:
    is_zero = found == 0
    weight = kept[~is_zero].abs()
    # Large entries say most about the factor; those near 0 only about rounding.
    total = float(weight.sum())
    ratio = float(found[~is_zero].abs().sum()) / total if total else 0.0
    return _Look(found, kept, is_zero, float(is_zero.double().mean()), ratio)


def _name_of_factor(seen: _Look, rate: float) -> str:
    """The known mistake behind a wrong factor, or ""."""
    if not seen.is_scaled_by(seen.ratio):
        return "dropout_before_softmax"
    if seen.is_scaled_by(1.0) and seen.is_dropped_at(rate):
        return "dropout_not_rescaled"
    if seen.is_scaled_by(1 / rate) and seen.is_dropped_at(1 - rate):
        return "keeps_with_rate"
    if seen.is_scaled_by(1 / (1 - rate) ** 2):
        return "dropout_twice"
    return "dropout_rate_ignored" if seen.ratio > 1 and seen.is_dropped_at(1 - 1 / seen.ratio) else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def check_is_new(stored: Any, earlier: Any, training: bool, *, name: str) -> Any:
    """`stored`, unless it is what the call before has left in the attribute `name`.

    Raises:
        CheckFailed: it is.
    """
    if isinstance(stored, torch.Tensor) and earlier is not None and torch.equal(stored, earlier):
        mode = "training" if training else "evaluation"
        fail(
            f"After a call in {mode} mode `{name}` still holds the weights of the call before.",
            reason="state",
            misconception="weights_only_in_eval" if training else "weights_kept_from_first_call",
        )
    return stored


def check_is_before_dropout(stored: Any, expected: torch.Tensor, training: bool, *, name: str) -> None:
    """Fail if weights that the attribute `name` holds after a call in training mode were dropped.

    Raises:
        CheckFailed: some of them are 0 where `expected` is not.
    """
    if isinstance(stored, torch.Tensor) and stored.shape == expected.shape:
        dropped = (stored == 0) & (expected > 1e-6)
        require(
            not training or not bool(dropped.any()),
            f"In training mode some of the weights in `{name}` are 0 that should not be.",
            reason="state",
            hint="Store the weights before dropout, and drop from a copy: `self.dropout(weights)`.",
            misconception="stores_dropped_weights",
        )
