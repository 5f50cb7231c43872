"""Known mistakes in three scoring functions. Staff only: the grader names the one that fits.

Each public class is one mistake of one function: `symbol` says of which. Calling it gives what the mistaken
function would return; no input is changed. The docstring is what a student reads. The first of several classes
that fit is the simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


class _Additive:
    """The right additive scores, in steps. A call, not an object: returns the scores."""

    symbol = "additive_scores"

    def __new__(cls, queries: Tensor, keys: Tensor, W_q: Tensor, W_k: Tensor, w_v: Tensor) -> Tensor:  # type: ignore[misc]
        rule = object.__new__(cls)
        hidden = rule.meet((queries @ W_q.t()).unsqueeze(2), (keys @ W_k.t()).unsqueeze(1))
        return rule.finish(rule.read(hidden, w_v))

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        """Projected queries (batch, queries, 1, h) and keys (batch, 1, keys, h)."""
        return torch.tanh(q + k)

    def read(self, hidden: Tensor, w_v: Tensor) -> Tensor:
        return hidden @ w_v

    def finish(self, scores: Tensor) -> Tensor:
        return scores


class NoTanh(_Additive):
    """The tanh of the additive score is missing: apply it to the sum of the two projections."""

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        return q + k


class TanhOfEach(_Additive):
    """You apply tanh to query and key on their own. Add the two projections first, then apply tanh to the
    sum."""

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.tanh(q) + torch.tanh(k)


class ReluForTanh(_Additive):
    """You use ReLU where the additive score has tanh."""

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.relu(q + k)


class SigmoidForTanh(_Additive):
    """You use the sigmoid where the additive score has tanh."""

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.sigmoid(q + k)


class MultipliesProjections(_Additive):
    """You multiply the projected query and key. The additive score adds them, hence its name."""

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.tanh(q * k)


class QueryIgnored(_Additive):
    """The queries play no part in the additive scores."""

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.tanh(torch.zeros_like(q) + k)


class TanhAfterReading(_Additive):
    """You apply tanh to the additive score. It comes before `w_v`, on the sum of the two projections."""

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        return q + k

    def finish(self, scores: Tensor) -> Tensor:
        return torch.tanh(scores)


class ReadingIgnored(_Additive):
    """You add up the hidden features without `w_v`. Its weights say how much each feature counts."""

    def read(self, hidden: Tensor, w_v: Tensor) -> Tensor:
        return hidden.sum(dim=-1)


class AdditiveScaled(_Additive):
    """You divide the additive scores by a square root. They are used as they are."""

    def read(self, hidden: Tensor, w_v: Tensor) -> Tensor:
        return hidden @ w_v / math.sqrt(hidden.shape[-1])


class AdditiveSoftmax(_Additive):
    """You apply a softmax to the additive scores. Scores come before it: return them as they are."""

    def finish(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1)


class AdditiveTransposed(_Additive):
    """The additive scores are transposed: queries come first, (batch, queries, keys)."""

    def finish(self, scores: Tensor) -> Tensor:
        return scores.transpose(1, 2)


class AdditiveKeepsLastAxis(_Additive):
    """The additive scores have a last axis of size 1 too many. Remove it: `squeeze(-1)`."""

    def finish(self, scores: Tensor) -> Tensor:
        return scores.unsqueeze(-1)


class AdditiveSqueezed(_Additive):
    """`squeeze()` removes every axis of size 1: with one sample, query or key the additive scores lose an axis
    that they need. Name the axis: `squeeze(-1)`."""

    def finish(self, scores: Tensor) -> Tensor:
        return scores.squeeze()


class AdditiveHalfPrecision(_Additive):
    """You compute the additive scores in half precision, which keeps three digits."""

    def meet(self, q: Tensor, k: Tensor) -> Tensor:
        return super().meet(q, k).half().to(q.dtype)


class _Dot:
    """The right dot-product scores, in steps. A call, not an object: returns the scores."""

    symbol = "dot_scores"

    def __new__(cls, queries: Tensor, keys: Tensor) -> Tensor:  # type: ignore[misc]
        rule = object.__new__(cls)
        return rule.scale(rule.match(queries, keys), queries, keys)

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(queries, keys.transpose(1, 2))

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores


class DotScaled(_Dot):
    """You divide in `dot_scores` too. The plain dot product has no scale; `scaled_dot_scores` has."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores / math.sqrt(queries.shape[-1])


class DotReshapesKeys(_Dot):
    """You reshape the keys to (batch, d, keys). That only re-reads the numbers in their old order; to exchange two
    axes, transpose."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(queries, keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1]))


class DotTransposed(_Dot):
    """The dot-product scores are transposed: queries come first, (batch, queries, keys)."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(keys, queries.transpose(1, 2))


class DotFirstSampleForAll(_Dot):
    """You compute the dot products of the first sample only and use them for the whole batch."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().match(queries[:1].expand_as(queries), keys[:1].expand_as(keys))


class CosineScores(_Dot):
    """You divide query and key by their lengths (cosine similarity). The dot product takes them as they are."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.cosine_similarity(queries.unsqueeze(2), keys.unsqueeze(1), dim=-1)


class NegativeDistances(_Dot):
    """You score with the negative distance of query and key. Here the score is their dot product."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return -torch.cdist(queries, keys)


class DotSoftmax(_Dot):
    """You apply a softmax in `dot_scores`. Scores come before it: return them as they are."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.softmax(super().match(queries, keys), dim=-1)


class _ScaledDot(_Dot):
    """The right scaled scores."""

    symbol = "scaled_dot_scores"

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores / math.sqrt(queries.shape[-1])


class NotScaled(_ScaledDot):
    """`scaled_dot_scores` does not divide by sqrt(d)."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores


class DividesByD(_ScaledDot):
    """You divide by d, or by sqrt(d) twice. Divide once, by the square root of the size of a query."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores / queries.shape[-1]


class MultipliesByRootD(_ScaledDot):
    """You multiply by sqrt(d) where you should divide."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores * math.sqrt(queries.shape[-1])


class ScalesByRootOfKeys(_ScaledDot):
    """You divide by the square root of the number of keys: that is another axis. The scale comes from the size of
    one query, `queries.shape[-1]`."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores / math.sqrt(keys.shape[1])


class IntegerRoot(_ScaledDot):
    """You cut off the decimals of sqrt(d). That is right for d = 4 or 9 only; keep it a float."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores / math.isqrt(queries.shape[-1])


class RootOfFour(_ScaledDot):
    """You divide by 2, the root of the d of the example. Take d from the queries, `queries.shape[-1]`."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return scores / 2


class ScaledReshapesKeys(_ScaledDot):
    """You reshape the keys to (batch, d, keys). That only re-reads the numbers in their old order; to exchange two
    axes, transpose."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(queries, keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1]))


class ScaledSoftmax(_ScaledDot):
    """You apply a softmax in `scaled_dot_scores`. Scores come before it: return them as they are."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.softmax(super().scale(scores, queries, keys), dim=-1)


# --- seen by a check, not in the numbers: nothing to repeat, only words -----------------------------


def returns_nothing() -> None:
    """A function returns nothing. Does every branch end with a `return`?"""


def returns_tuple() -> None:
    """You return several things. Each function returns the scores alone."""


def gradient_stops() -> None:
    """The numbers are right, but the graph is cut on the way: `.detach()`, `.data`, `.item()`,
    `torch.no_grad()`, NumPy or `requires_grad_(False)`. What lies behind the cut never learns."""


def dtype_changed() -> None:
    """The result has another dtype than the inputs. Look for `.float()`, a `dtype=` or a new tensor without
    one."""


def wrong_device() -> None:
    """Your code works on the CPU only: somewhere it makes a tensor without `device=...device`, or goes through
    `.cpu()` or NumPy. Create everything where the inputs are."""


def inputs_changed() -> None:
    """You write into the caller's tensors (an operation with a trailing underscore, `+=`, or an assignment to
    a slice), and the caller uses them again. Work on new tensors."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU (`.cuda()` or `device="cuda"`), which not every machine has. Create tensors
    where the inputs are: `device=...device`, or `.to(...)`."""
