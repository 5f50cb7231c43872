"""Known mistakes in the extension exercise `sequence_mask`. Staff only: the grader names the one that
produces a student's numbers.

Each public class is one mistake. Calling it, `Mistake(X, valid_len, value)`, gives what the mistaken
function would return, without changing its inputs. It overrides only the steps of `Right` in which the
student went wrong, so two mistakes that override different steps combine. The docstring is what a student
reads. The first of several classes that fit is the simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import torch
from torch import Tensor


class Right:
    """The right function, in steps."""

    def __new__(  # type: ignore[misc]
        cls, X: Tensor, valid_len: Tensor, value: float | None = None
    ) -> Tensor:
        """A call, not an object: returns the masked rows."""
        self = object.__new__(cls)
        is_valid = self.is_valid(X, self.lengths(X, valid_len))
        return self.replace(X, self.spread(is_valid, X), self.value(value))

    def value(self, value: float | None) -> float:
        return 0 if value is None else value

    def lengths(self, X: Tensor, valid_len: Tensor) -> Tensor:
        """Shape (rows or 1, 1)."""
        return valid_len[:, None]

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        """True = is kept; shape (rows or 1, steps)."""
        return _positions(X) < lengths

    def spread(self, is_valid: Tensor, X: Tensor) -> Tensor:
        """Broadcasts to the shape of X."""
        return is_valid.reshape(*is_valid.shape, *(1 for _ in X.shape[2:]))

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        return torch.where(is_valid, X, torch.full_like(X, value))


def _positions(X: Tensor) -> Tensor:
    return torch.arange(X.shape[1])


# --- which steps are kept --------------------------------------------------------------------------


class NothingMasked(Right):
    """You return X as it was: nothing is masked. Maybe the mask is never applied, or its result is thrown
    away: `masked_fill` returns a new tensor, only `masked_fill_` changes the old one."""

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        return X.clone()


class InvertedMask(Right):
    """Your mask is inverted: you overwrite what is valid and keep the padding. Check which side of the
    comparison means "is kept", and whether the assignment wants the mask or its opposite (`~mask`)."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        return _positions(X) >= lengths


class KeepsOneStepTooMany(Right):
    """Off by one: you keep one step too many, the first one of the padding. Positions count from 0, so with
    length 2 the steps 0 and 1 are valid."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        return _positions(X) <= lengths


class DropsLastValidStep(Right):
    """Off by one: the last valid step is overwritten too. Either the positions start at 1 while the
    comparison is made for a start at 0, or one is subtracted from the lengths."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        return _positions(X) + 1 < lengths


class MasksFromTheFront(Right):
    """You keep the last steps of every row and overwrite the first ones. The padding stands at the end."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        return _positions(X) >= X.shape[1] - lengths


class FirstLengthForAll(Right):
    """You use the length of the first row for all of them. Every row has its own."""

    def lengths(self, X: Tensor, valid_len: Tensor) -> Tensor:
        return valid_len[:1, None]


class LongestLengthForAll(Right):
    """You cut every row at the longest length of the batch. Every row has its own length; `.max()` loses
    that."""

    def lengths(self, X: Tensor, valid_len: Tensor) -> Tensor:
        return valid_len.max().reshape(1, 1)


class LengthZeroKeepsAll(Right):
    """A row of length 0 stays as it was. With no valid step, all of the row is padding: 0 is a length like
    any other, and not "no length given"."""

    def lengths(self, X: Tensor, valid_len: Tensor) -> Tensor:
        return torch.where(valid_len == 0, X.shape[1], valid_len)[:, None]


class LengthsSorted(Right):
    """You sort the lengths, and so they reach other rows. Row i belongs to valid_len[i]."""

    def lengths(self, X: Tensor, valid_len: Tensor) -> Tensor:
        return valid_len.sort(descending=True).values[:, None]


# --- where the mask reaches ------------------------------------------------------------------------


class MaskOnLastAxes(Right):
    """With further axes your mask of shape (rows, steps) lines up with the *last* two axes of X:
    broadcasting counts axes from the right. The mask needs an axis of size 1 for each further one."""

    def spread(self, is_valid: Tensor, X: Tensor) -> Tensor:
        return is_valid


class MasksAlongTheLastAxis(Right):
    """With further axes you count along the last one. `valid_len` counts steps, and these are the second
    axis, however many follow: take the size from `X.shape[1]`, not from `X.shape[-1]`."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        if X.dim() == 2:
            return super().is_valid(X, lengths)
        shape = (len(lengths), *(1 for _ in X.shape[1:-1]), X.shape[-1])
        return (torch.arange(X.shape[-1]) < lengths).reshape(shape)

    def spread(self, is_valid: Tensor, X: Tensor) -> Tensor:
        return is_valid if X.dim() > 2 else super().spread(is_valid, X)


class MasksFirstEntryOfSteps(Right):
    """With further axes you overwrite only the first entry of a padded step. The whole step is padding, with
    all that it holds."""

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        if X.dim() == 2:
            return super().replace(X, is_valid, value)
        whole, result = super().replace(X, is_valid, value), X.clone()
        result[:, :, 0] = whole[:, :, 0]
        return result


# --- what padding becomes --------------------------------------------------------------------------


class DefaultMinusMillion(Right):
    """Without a value you fill in -1e6. That is what `masked_softmax` asks for; here the default of `value`
    is 0."""

    def value(self, value: float | None) -> float:
        return -1e6 if value is None else value


class DefaultOne(Right):
    """Without a value you fill in 1. The default of `value` is 0."""

    def value(self, value: float | None) -> float:
        return 1 if value is None else value


class ValueIgnored(Right):
    """You always fill in 0: the argument `value` is never used. Padding must become `value`."""

    def value(self, value: float | None) -> float:
        return 0


class ValueAlwaysMinusMillion(Right):
    """You always fill in -1e6: the argument `value` is never used. Padding must become `value`."""

    def value(self, value: float | None) -> float:
        return -1e6


class ValueAdded(Right):
    """You add `value` to what stands in the padding. Padding must become `value`, whatever stood there."""

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        return X + value * (~is_valid).to(X.dtype)


class ValueMultiplied(Right):
    """You multiply the padding by `value`. It must become `value`, whatever stood there."""

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        return torch.where(is_valid, X, X * value)


class ReturnsMask(Right):
    """You return the mask. Return X with its padding replaced (`tf.sequence_mask` returns a mask, this
    function does not)."""

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        return is_valid.expand(X.shape[:2]) if X.dim() == 2 else is_valid.flatten(1)


class ReturnsMaskOfNumbers(Right):
    """You return the mask as zeros and ones. Return X with its padding replaced."""

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        return is_valid.to(X.dtype).expand_as(X)


class CutsThePadding(Right):
    """You cut the rows at the longest length: the result has fewer steps than X. Padding is overwritten, and
    the shape stays."""

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        steps = int(is_valid.flatten(1).sum(dim=1).max())
        return super().replace(X, is_valid, value)[:, :steps]


class FlatResult(Right):
    """You return all rows in one long line, as they lie in memory. Give the result the shape of X again."""

    def replace(self, X: Tensor, is_valid: Tensor, value: float) -> Tensor:
        return super().replace(X, is_valid, value).reshape(-1)


# --- seen by a check, not in numbers ---------------------------------------------------------------


def value_required() -> None:
    """`value` has no default: a call without it fails. Write `value=0` in the signature."""


def gradient_stops() -> None:
    """The gradient does not reach X: somewhere on the way you leave the graph. Look for `.detach()`,
    `.data`, `torch.no_grad()`, NumPy and `torch.tensor(...)`. A `.clone()` is fine."""


def dtype_changed() -> None:
    """The dtype of X is lost. Look for `.float()`, NumPy, and for tensors that are created without
    `dtype=X.dtype`."""


def wrong_device() -> None:
    """Something is created on or moved to the CPU. Create tensors with `device=X.device`, and leave `.cpu()`
    and NumPy out."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU by name. Not every machine has one; create tensors with `device=X.device`."""


def inputs_changed() -> None:
    """You write into `valid_len`, which belongs to the caller. Compute with a new tensor instead."""


def returns_nothing() -> None:
    """The function returns nothing. Did the `return` get lost, or stand inside a branch? What is written
    into X has to be returned as well."""


def returns_tuple() -> None:
    """The function returns several things. Return the masked tensor alone."""
