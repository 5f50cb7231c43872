"""Known mistakes in exercise 1. Staff only: the grader names the one that produces a student's numbers.

Each public class is one mistake. Calling it, `Mistake(X, valid_lens)`, gives what the mistaken function would
return: X (batch, queries, keys), `valid_lens` None, (batch,) or (batch, queries); neither is changed. It
overrides only the steps of `Right` in which the student went wrong, so two mistakes that override different
steps combine: `type("Both", (A, B), {})(X, valid_lens)`. The docstring is what a student reads. The first of
several classes that fit is the simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


class Right:
    """The right function, in steps."""

    def __new__(cls, X: Tensor, valid_lens: Tensor | None) -> Tensor:  # type: ignore[misc]
        """A call, not an object: returns the weights."""
        return object.__new__(cls).weights(X, valid_lens)

    def weights(self, X: Tensor, valid_lens: Tensor | None) -> Tensor:
        if valid_lens is None:
            return self.without_lengths(X)
        is_valid = self.is_valid(X, self.lengths(X, valid_lens)).expand_as(X)
        return self.finish(self.normalise(self.fill(X, is_valid)), is_valid)

    def without_lengths(self, X: Tensor) -> Tensor:
        return self.normalise(X)

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        """Shape (batch, queries or 1, 1)."""
        return valid_lens.reshape(X.shape[0], -1, 1)

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        """True = may attend; broadcasts to the shape of X."""
        return _positions(X) < lengths

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X.masked_fill(~is_valid, -1e6)

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1)

    def finish(self, weights: Tensor, is_valid: Tensor) -> Tensor:
        return weights


def _positions(X: Tensor) -> Tensor:
    return torch.arange(X.shape[-1], device=X.device)


# --- which keys are masked -------------------------------------------------------------------------


class NothingMasked(Right):
    """You compute a plain softmax: the padding still gets weight. Maybe the mask is never applied, or its
    result is thrown away: `masked_fill` returns a new tensor, only `masked_fill_` changes the old one."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X


class OneDimensionalLengthsIgnored(Right):
    """With one length per sample nothing is masked; with one length per query you do it right. Look at the
    branch for `valid_lens.dim() == 1`."""

    def weights(self, X: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().weights(X, None if valid_lens is None or valid_lens.dim() == 1 else valid_lens)


class LengthsAsKeyMask(Right):
    """You read `valid_lens` of shape (batch, queries) as a 0/1 mask over the keys. It holds one number per
    query: how many keys that query may see."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        if valid_lens.dim() == 1:
            return super().lengths(X, valid_lens)
        return torch.where(valid_lens != 0, X.shape[-1], 0).unsqueeze(1)


class TwoDimensionalLengthsIgnored(Right):
    """With one length per query nothing is masked; with one length per sample you do it right. Look at the
    branch for `valid_lens` of shape (batch, queries)."""

    def weights(self, X: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().weights(X, None if valid_lens is None or valid_lens.dim() == 2 else valid_lens)


class InvertedMask(Right):
    """Your mask is inverted: you keep the padding and mask the valid keys. Check which side of the comparison
    means "may attend", and whether the fill wants the mask or its opposite (`~mask`)."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        return _positions(X) >= lengths


class InvertedMaskWithInfinity(InvertedMask):
    """Your mask is inverted: you keep the padding and mask the valid keys. Rows without any padding have
    nothing left and become NaN. Check which side of the comparison means "may attend"."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X.masked_fill(~is_valid, -math.inf)


class KeepsOneKeyTooMany(Right):
    """Off by one: you keep one key too many, the first one of the padding. Positions count from 0, so with
    length 2 the valid positions are 0 and 1. Look at the comparison of positions and lengths."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        return _positions(X) <= lengths


class DropsLastValidKey(Right):
    """Off by one: the last valid key gets no weight. Either the positions start at 1 while the comparison is
    made for a start at 0, or one is subtracted from the lengths."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        return _positions(X) + 1 < lengths


class DropsLastValidKeyWithInfinity(DropsLastValidKey):
    """Off by one: the last valid key gets no weight, and a row of length 1 has nothing left and becomes NaN.
    Either the positions start at 1 while the comparison is made for a start at 0, or one is subtracted from
    the lengths."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X.masked_fill(~is_valid, -math.inf)


class MasksFromTheFront(Right):
    """You keep the last keys of every row and mask the first ones. The padding stands at the end: with length
    2 the keys 0 and 1 are valid."""

    def is_valid(self, X: Tensor, lengths: Tensor) -> Tensor:
        return _positions(X) >= X.shape[-1] - lengths


class LengthsTiled(Right):
    """The lengths reach the wrong rows: you tile them as a, b, a, b, but the flattened rows go sample by
    sample and need a, a, b, b. Compare what `repeat` and `repeat_interleave` do with `torch.tensor([1,
    2])`."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        if valid_lens.dim() == 1:
            valid_lens = valid_lens.repeat(X.shape[1])
        return super().lengths(X, valid_lens)


class LengthsInColumnOrder(Right):
    """Lengths of shape (batch, queries) reach the wrong rows: you flatten them column by column. The scores
    are flattened row by row, so the lengths must be too; no transpose is needed."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        if valid_lens.dim() == 2:
            valid_lens = valid_lens.T.reshape(-1)
        return super().lengths(X, valid_lens)


class LengthsMatchedToQueries(Right):
    """With one length per sample, your mask of shape (batch, keys) lines up with the *query* axis of the
    scores: broadcasting counts axes from the right. The mask needs an axis of size 1 for the queries."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        return valid_lens.unsqueeze(-1)


class FirstLengthOfEachSample(Right):
    """Of the lengths of shape (batch, queries) you use only the first one of each sample. Every query has its
    own."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        return super().lengths(X, valid_lens)[:, :1]


class FlattenedLengthsCutAtBatch(Right):
    """You flatten lengths of shape (batch, queries) and use the first `batch` numbers of them, one per
    sample. Every query has its own length."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        return valid_lens.reshape(-1)[: X.shape[0]].reshape(-1, 1, 1)


class LongestLengthOfEachSample(Right):
    """Of the lengths of shape (batch, queries) you use the largest one of each sample. Every query has its
    own."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        return super().lengths(X, valid_lens).amax(dim=1, keepdim=True)


class FirstSampleForAll(Right):
    """You use the lengths of the first sample for the whole batch. Every sample has its own."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        return super().lengths(X, valid_lens)[:1]


class LongestLengthForAll(Right):
    """You cut every row at the longest length of the whole batch. Every row has its own length; `.max()` over
    all of them loses that."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        return super().lengths(X, valid_lens).amax().reshape(1, 1, 1)


class ShortestLengthForAll(Right):
    """You cut every row at the shortest length of the whole batch. Every row has its own length."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        return super().lengths(X, valid_lens).amin().reshape(1, 1, 1)


class MasksQueryRows(Right):
    """You mask whole rows (queries) instead of columns (keys). `valid_lens` counts keys: positions have to
    run along the last axis of the scores."""

    def lengths(self, X: Tensor, valid_lens: Tensor) -> Tensor:
        lengths = super().lengths(X, valid_lens)
        if valid_lens.dim() == 2:
            return lengths
        is_kept = torch.arange(X.shape[1], device=X.device).reshape(1, -1, 1) < lengths
        return torch.where(is_kept, X.shape[-1], 0)


class ZeroesPaddedQueries(Right):
    """With one length per sample you also clear the rows of the queries beyond that length. `valid_lens` says
    nothing about queries: every row has weights that sum to 1."""

    def weights(self, X: Tensor, valid_lens: Tensor | None) -> Tensor:
        weights = super().weights(X, valid_lens)
        if valid_lens is None or valid_lens.dim() == 2:
            return weights
        return weights * (torch.arange(X.shape[1], device=X.device) < valid_lens[:, None]).unsqueeze(-1)


class LengthsRepeatedPerSample(Right):
    """You repeat each length as often as there are samples, `shape[0]`. It has to be there once per query,
    `shape[1]`; the two are equal in the book's example only."""

    def weights(self, X: Tensor, valid_lens: Tensor | None) -> Tensor:
        if valid_lens is None or valid_lens.dim() == 2:
            return super().weights(X, valid_lens)
        lengths = valid_lens.repeat_interleave(X.shape[0])
        rows = X.reshape(-1, X.shape[-1])
        return self.normalise(self.fill(rows, _positions(X) < lengths[:, None])).reshape(X.shape)


# --- what masked scores become ---------------------------------------------------------------------


class ZeroFill(Right):
    """You set the masked scores to 0 (or to something tiny like 1e-6, where -1e6 is meant), but a score of 0
    still gets weight: exp(0) is 1. A masked score must be so low that nothing is left of it after the
    softmax."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X * is_valid


class PositiveFill(Right):
    """The fill value has the wrong sign: a large positive score draws all the weight to the padding. It must
    be a large *negative* number."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X.masked_fill(~is_valid, 1e6)


class PositiveInfinityFill(Right):
    """The masked scores become +infinity, and the softmax NaN. Count the minus signs: `-float("-inf")` is
    positive."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X.masked_fill(~is_valid, math.inf)


class _WeakFill(Right):
    value = 0.0

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X.masked_fill(~is_valid, self.value)


class FillMinusOne(_WeakFill):
    """Your fill value is about -1. That is an ordinary score, so the padding keeps weight; the fill must lie
    far below every score that can occur (the docstring says which)."""

    value = -1.0


class FillMinusTen(_WeakFill):
    """Your fill value is about -10. Padding keeps a little weight, and a lot of it where the valid scores are
    negative too; the fill must lie far below every score that can occur (the docstring says which)."""

    value = -10.0


class FillMinusHundred(_WeakFill):
    """Your fill value is about -100. Where the valid scores are lower than that, the padding wins; the fill
    must lie far below every score that can occur (the docstring says which)."""

    value = -100.0


class NoRenormalisation(Right):
    """You mask after the softmax: the valid weights no longer sum to 1, because the padding took its share
    before. Mask the scores first, or divide by the sum of what is left."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X

    def finish(self, weights: Tensor, is_valid: Tensor) -> Tensor:
        return weights * is_valid


class FillAfterSoftmax(Right):
    """You put the large negative number into the *weights*, after the softmax. It belongs into the scores,
    before the softmax."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X

    def finish(self, weights: Tensor, is_valid: Tensor) -> Tensor:
        return weights.masked_fill(~is_valid, -1e6)


# --- how scores become weights ---------------------------------------------------------------------


class SoftmaxOverBatch(Right):
    """The softmax runs over axis 0 and mixes the samples of the batch. It has to run over the keys, the last
    axis."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=0)


class SoftmaxOverQueries(Right):
    """The softmax runs over axis 1, the queries. It has to run over the keys, the last axis."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=1)


class SoftmaxOverEverything(Right):
    """Each sample sums to 1 as a whole: the softmax runs over queries and keys together. Every row on its own
    has to sum to 1."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores.flatten(1), dim=1).reshape(scores.shape)


class LogProbabilities(Right):
    """You return logarithms of the weights (`log_softmax`). Attention multiplies values with the weights
    themselves."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.log_softmax(scores, dim=-1)


class DividesByRootOfKeys(Right):
    """You divide the scores by the square root of the number of keys. Scaling belongs to dot-product
    attention (and there to the size of a query); here the scores are taken as they come."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores / math.sqrt(scores.shape[-1]), dim=-1)


class EpsilonInDenominator(Right):
    """Something is added to the denominator, so that the weights sum to less than 1. After subtracting the
    maximum the denominator is at least 1: nothing needs to be added."""

    def normalise(self, scores: Tensor) -> Tensor:
        exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-2)


class SigmoidForSoftmax(Right):
    """You use a sigmoid: every weight lies between 0 and 1, but a row does not sum to 1. The keys have to
    compete with each other, which is what softmax does."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.sigmoid(scores)


class UnnormalisedExponentials(Right):
    """You return exponentials without dividing by their sum. Every row has to sum to 1."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.exp(scores)


class DividesByRowSum(Right):
    """You divide the scores by their sum, without the exponential. Negative scores then give negative
    weights."""

    def fill(self, X: Tensor, is_valid: Tensor) -> Tensor:
        return X * is_valid

    def normalise(self, scores: Tensor) -> Tensor:
        return scores / scores.sum(dim=-1, keepdim=True)


class OnlyTheLargest(Right):
    """You give the whole weight to the largest score. Softmax is soft: every valid key gets its share."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)


class UniformOverValid(Right):
    """Every valid key gets the same weight, 1 / length: the scores play no part. The weights have to come
    from the softmax of the scores."""

    def finish(self, weights: Tensor, is_valid: Tensor) -> Tensor:
        return is_valid.to(weights.dtype) / is_valid.sum(dim=-1, keepdim=True)


class HalfPrecisionInside(Right):
    """You compute in half precision, which keeps three digits. Keep the dtype of the scores."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores.clamp(min=-6e4).half(), dim=-1).to(scores.dtype)


class ExponentialsOverflow(Right):
    """The exponential of a large score overflows: infinity divided by infinity is NaN (or, for very low
    scores, 0 by 0). Subtract the row's maximum first, or use `torch.softmax`, which does."""

    def normalise(self, scores: Tensor) -> Tensor:
        exponentials = torch.exp(scores)
        return exponentials / exponentials.sum(dim=-1, keepdim=True)


# --- special cases ---------------------------------------------------------------------------------


class NoneNotHandled(Right):
    """`valid_lens` may be None, which has no `.dim()` or `.shape`. Ask for None before you use it."""

    def without_lengths(self, X: Tensor) -> Tensor:
        raise AttributeError("'NoneType' object has no attribute 'dim'")


class NoneReturnsScores(Right):
    """Without lengths (`valid_lens=None`) you return the scores as they came. Only the masking falls away
    then; the softmax stays."""

    def without_lengths(self, X: Tensor) -> Tensor:
        return X


class NoneUsesOtherAxis(Right):
    """Without lengths (`valid_lens=None`) the softmax runs over axis 1, the queries. It has to run over the
    keys, as in your other branch."""

    def without_lengths(self, X: Tensor) -> Tensor:
        return torch.softmax(X, dim=1)


class SqueezedResult(Right):
    """`squeeze()` removes every axis of size 1, so with one sample, query or key the result loses an axis. Keep
    the shape of `X`."""

    def finish(self, weights: Tensor, is_valid: Tensor) -> Tensor:
        return weights.squeeze()


class EveryResultSqueezed(Right):
    """`squeeze()` removes every axis of size 1, so with one sample, query or key the result loses an axis. Keep
    the shape of `X`."""

    def weights(self, X: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().weights(X, valid_lens).squeeze()


class FlatResult(Right):
    """You return the flattened form (batch · queries, keys). Give the result the shape of `X` again."""

    def finish(self, weights: Tensor, is_valid: Tensor) -> Tensor:
        return weights.flatten(0, 1)


class ReturnsMaskedScores(Right):
    """You return masked scores; the softmax over them is missing."""

    def normalise(self, scores: Tensor) -> Tensor:
        return scores


class ReturnsScores(Right):
    """You return the scores as they came in."""

    def weights(self, X: Tensor, valid_lens: Tensor | None) -> Tensor:
        return X.clone()


class AllZeros(Right):
    """Everything you return is 0. Maybe a result tensor is created and never filled."""

    def weights(self, X: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.zeros_like(X)


# --- seen by a check, not in the numbers: nothing to repeat, only words -----------------------------


def gradient_stops() -> None:
    """Your weights are right, but the graph is cut: no gradient comes back to the scores, so whatever
    computes them can never learn. `.detach()`, `.data`, `.item()`, NumPy, and a new `torch.tensor(...)` or
    `torch.zeros(...)` filled with numbers all do that. Stay with torch operations from `X` to the result."""


def dtype_changed() -> None:
    """The result has another dtype than the scores. Compute in the dtype of `X` and give it back: look for
    `.float()`, `.double()`, `.half()`, a `dtype=` or a new tensor without one."""


def wrong_device() -> None:
    """Your code works on the CPU only: somewhere it makes a tensor without `device=X.device` (`torch.arange`,
    `torch.zeros`, `torch.tensor`), or goes through `.cpu()` or NumPy. Create everything where `X` is."""


def inputs_changed() -> None:
    """You change the caller's `valid_lens` in place, so its next use sees other lengths. Work on a new
    tensor: `a = a - 1`, not `a -= 1`."""


def returns_nothing() -> None:
    """The function returns nothing. Does every branch end with a `return`?"""


def returns_tuple() -> None:
    """You return several things. The function returns the weights, and nothing else."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU (`.cuda()` or `device="cuda"`), which not every machine has. Create tensors
    where the inputs are: `device=...device`, or `.to(...)`."""
