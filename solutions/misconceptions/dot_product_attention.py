"""Known mistakes in exercise 3. Staff only: the grader names the one that produces a student's numbers.

Each public class is one mistake, a module with the reference's constructor. It overrides only the steps of
`Right` in which the student went wrong, so two mistakes that override different steps combine: `type("Both",
(A, B), {})(...)`. The docstring is what a student reads. The first of several classes that fit is the
simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import math

import torch
from masked_softmax import masked_softmax
from torch import Tensor, nn


class Right(nn.Module):
    """The right module, in steps."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None = None
    ) -> Tensor:
        scores = self.scale(self.match(queries, keys), queries, keys, values)
        weights = self.normalise(scores, valid_lens)
        self.attention_weights = self.stored(weights, scores)
        return self.pool(weights, keys, values, valid_lens)

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Shape (batch, queries, keys)."""
        return torch.bmm(queries, keys.transpose(1, 2))

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores / math.sqrt(queries.shape[-1])

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return masked_softmax(scores, valid_lens)

    def stored(self, weights: Tensor, scores: Tensor) -> Tensor:
        return weights

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.bmm(self.dropout(weights), values)


def _is_valid(scores: Tensor, valid_lens: Tensor | None, extra: int = 0) -> Tensor:
    """True = may attend; the shape of the scores (batch, queries, keys). `extra` keys more are valid."""
    if valid_lens is None:
        return torch.ones_like(scores, dtype=torch.bool)
    lengths = valid_lens.reshape(scores.shape[0], -1, 1) + extra
    return (torch.arange(scores.shape[-1], device=scores.device) < lengths).expand_as(scores)


# --- the scale -------------------------------------------------------------------------------------


class NoScale(Right):
    """The dot products are not divided by sqrt(d). Without it they grow with the size of the queries and the
    softmax becomes too sharp."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores


class DividesByD(Right):
    """You divide by d, or by sqrt(d) twice. Divide once, by the square root of the size of a query."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores / queries.shape[-1]


class MultipliesByRootD(Right):
    """You multiply by sqrt(d) where you should divide (or divide by d ** -0.5, which is the same)."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores * math.sqrt(queries.shape[-1])


class ScalesByRootOfKeys(Right):
    """You divide by the square root of the number of keys: that is another axis. The scale comes from the
    size of one query, `queries.shape[-1]`."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores / math.sqrt(keys.shape[1])


class ScalesByRootOfQueries(Right):
    """You divide by the square root of the number of queries: that is another axis. The scale comes from the
    size of one query, `queries.shape[-1]`."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores / math.sqrt(queries.shape[1])


class ScalesByRootOfBatch(Right):
    """You divide by the square root of the batch size: that is another axis. The scale comes from the size of
    one query, `queries.shape[-1]`."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores / math.sqrt(queries.shape[0])


class ScalesByRootOfValueSize(Right):
    """You divide by the square root of the size of a value. The scale comes from what the dot product sums
    over: the size of a query, `queries.shape[-1]`."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores / math.sqrt(values.shape[-1])


class IntegerRoot(Right):
    """You cut off the decimals of sqrt(d). That is right for d = 4 or 9 only; keep it a float."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores / math.isqrt(queries.shape[-1])


class RootOfTwo(Right):
    """You divide by sqrt(2), the d of the book's example. Take d from the queries, `queries.shape[-1]`."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores / math.sqrt(2)


# --- the match of query and key --------------------------------------------------------------------


class GaussianScores(Right):
    """You score with the Gaussian kernel, minus half the squared distance. That was the previous section;
    here the score is q · k / sqrt(d)."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return -(torch.cdist(queries, keys) ** 2) / 2

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores


class NegativeDistances(Right):
    """You score with the negative distance of query and key. Here the score is q · k / sqrt(d)."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return -torch.cdist(queries, keys)

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores


class CosineScores(Right):
    """You divide query and key by their lengths (cosine similarity). Here the score is q · k / sqrt(d)."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.cosine_similarity(queries.unsqueeze(2), keys.unsqueeze(1), dim=-1)

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores


class QueriesWithQueries(Right):
    """You multiply the queries with themselves. The second factor has to be the keys."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(queries, queries.transpose(1, 2))


class KeysWithKeys(Right):
    """You multiply the keys with themselves. The first factor has to be the queries."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(keys, keys.transpose(1, 2))


class ReshapedKeys(Right):
    """You reshape the keys to (batch, d, keys). That only re-reads the numbers in their old order; to
    exchange two axes, transpose."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(queries, keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1]))


class TransposedScores(Right):
    """Your scores are transposed: (batch, keys, queries). The queries come first, so that every row belongs
    to one query."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(keys, queries.transpose(1, 2))


class NegatedScores(Right):
    """Your scores have the wrong sign: the best key gets the smallest weight."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return -super().match(queries, keys)


class FirstQueryForAll(Right):
    """You compute scores for the first query only and use them for all queries."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().match(queries[:, :1], keys).expand(-1, queries.shape[1], -1)


class FirstSampleForAll(Right):
    """You compute scores for the first sample only and use them for the whole batch."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().match(queries[:1], keys[:1]).expand(len(queries), -1, -1)


class CausalMask(Right):
    """You also mask the keys that come after the query (a causal mask). That belongs into a decoder; here
    every query sees all valid keys."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().match(queries, keys).masked_fill(_is_future(queries, keys), -1e6)


def _is_future(queries: Tensor, keys: Tensor) -> Tensor:
    """True where the position of the key is after that of the query; shape (queries, keys)."""
    return torch.ones(queries.shape[1], keys.shape[1], dtype=torch.bool, device=keys.device).triu(1)


# --- from scores to weights ------------------------------------------------------------------------


class HalfPrecisionInside(Right):
    """You round the weights to half precision, which keeps three digits. Keep the dtype of the inputs."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().normalise(scores, valid_lens).half().to(scores.dtype)


class LengthsIgnored(Right):
    """`valid_lens` is not passed on to the softmax: padding takes part in the pooling."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores, dim=-1)


class EqualWeights(Right):
    """All valid keys get the same weight: the scores play no part, or the keys play no part in the scores."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return masked_softmax(torch.zeros_like(scores), valid_lens)


class SoftmaxOverQueries(Right):
    """The softmax runs over the queries (axis 1). It has to run over the keys, the last axis."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores.masked_fill(~_is_valid(scores, valid_lens), -1e6), dim=1)


class SoftmaxOverBatch(Right):
    """The softmax runs over axis 0 and mixes the samples of the batch. It has to run over the keys, the last
    axis."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores.masked_fill(~_is_valid(scores, valid_lens), -1e6), dim=0)


class NoSoftmax(Right):
    """You pool with the raw scores; the softmax is missing."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return scores * _is_valid(scores, valid_lens)


class InvertedMask(Right):
    """Your mask is inverted: you keep the padding and mask the valid keys."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        is_valid = _is_valid(scores, valid_lens)
        return torch.softmax(
            scores.masked_fill(is_valid if valid_lens is not None else ~is_valid, -1e6), dim=-1
        )


class KeepsOneKeyTooMany(Right):
    """Off by one in the mask: the first key of the padding keeps its weight. Positions count from 0."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores.masked_fill(~_is_valid(scores, valid_lens, +1), -1e6), dim=-1)


class DropsLastValidKey(Right):
    """Off by one in the mask: the last valid key gets no weight. Positions count from 0."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        extra = 0 if valid_lens is None else -1
        return torch.softmax(scores.masked_fill(~_is_valid(scores, valid_lens, extra), -1e6), dim=-1)


class NoRenormalisation(Right):
    """You mask after the softmax: the valid weights no longer sum to 1. Mask the scores first."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores, dim=-1) * _is_valid(scores, valid_lens)


class ZeroFill(Right):
    """You set the masked scores to 0, but a score of 0 still gets weight: exp(0) is 1."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores * _is_valid(scores, valid_lens), dim=-1)


class LengthsTiled(Right):
    """The lengths reach the wrong rows: you tile them as a, b, a, b, but the flattened rows need a, a, b, b.
    Compare `repeat` and `repeat_interleave`."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        if valid_lens is not None and valid_lens.dim() == 1:
            valid_lens = valid_lens.repeat(scores.shape[1]).reshape(scores.shape[:2])
        return masked_softmax(scores, valid_lens)


class FirstLengthOfEachSample(Right):
    """Of the lengths of shape (batch, queries) you use only the first one of each sample. Every query has its
    own."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        if valid_lens is not None and valid_lens.dim() == 2:
            valid_lens = valid_lens[:, 0]
        return masked_softmax(scores, valid_lens)


class FlattenedLengthsCutAtBatch(Right):
    """You flatten lengths of shape (batch, queries) and use the first `batch` numbers of them, one per
    sample. Every query has its own length."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        if valid_lens is not None and valid_lens.dim() == 2:
            valid_lens = valid_lens.reshape(-1)[: scores.shape[0]]
        return masked_softmax(scores, valid_lens)


class TwoDimensionalLengthsIgnored(Right):
    """With one length per query nothing is masked; with one length per sample you do it right. `valid_lens`
    may have the shape (batch, queries) too."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return masked_softmax(
            scores, valid_lens if valid_lens is not None and valid_lens.dim() == 1 else None
        )


class ScaleAfterSoftmax(Right):
    """You divide the weights, not the scores, by sqrt(d): they sum to 1 / sqrt(d). Scale before the
    softmax."""

    def scale(self, scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return scores

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().normalise(scores, valid_lens) / math.sqrt(self.d)

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        self.d = queries.shape[-1]
        return super().match(queries, keys)


class ScalesBeforeAndAfterSoftmax(Right):
    """You divide the scores by sqrt(d), which is right, and then the weights again, which is not: they no
    longer sum to 1."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().normalise(scores, valid_lens) / math.sqrt(self.d)

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        self.d = queries.shape[-1]
        return super().match(queries, keys)


# --- from weights to the output --------------------------------------------------------------------


class ZeroesPaddedValues(Right):
    """You set the padded values to 0 instead of masking the scores. The padding still takes its share of the
    weights, so the weights on the valid keys sum to less than 1."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores, dim=-1)

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().pool(weights * _is_valid(weights, valid_lens), keys, values, valid_lens)


class ZeroesPaddedValuesOfSamples(ZeroesPaddedValues):
    """You set the padded values to 0 instead of masking the scores, and only for one length per sample. The
    padding still takes its share of the weights, so the weights on the valid keys sum to less than 1."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        lengths = valid_lens if valid_lens is not None and valid_lens.dim() == 1 else None
        return super().pool(weights, keys, values, lengths)


class MeanOfValidValues(Right):
    """You return the plain average of the valid values; the scores play no part."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        is_valid = _is_valid(weights, valid_lens).to(weights.dtype)
        return torch.bmm(self.dropout(is_valid / is_valid.sum(dim=-1, keepdim=True)), values)


class MeanOfValues(Right):
    """You return the plain average of all values; neither scores nor lengths play a part."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.bmm(self.dropout(torch.full_like(weights, 1 / weights.shape[-1])), values)


class BestValueOnly(Right):
    """You return the value of the best key alone. Attention averages all valid values with their weights."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        best = nn.functional.one_hot(weights.argmax(dim=-1), weights.shape[-1]).to(weights.dtype)
        return super().pool(best, keys, values, valid_lens)


class KeysAsValues(Right):
    """You average the keys. The weights have to meet the values."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().pool(weights, keys, keys, valid_lens)


class DividesByNumberOfKeys(Right):
    """Your output is too small by the number of keys: a mean where a sum is meant. The weights sum to 1
    already."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().pool(weights / weights.shape[-1], keys, values, valid_lens)


class PoolingMaskInverted(Right):
    """`scaled_dot_product_attention` reads a boolean mask as True = may attend. Yours says True = padding, so
    the output pools the padding (`attention_weights` is right)."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        if valid_lens is None:
            return super().pool(weights, keys, values, valid_lens)
        scores = self.last_scores.masked_fill(_is_valid(weights, valid_lens), -math.inf)
        # A row without any key gives zeros in `scaled_dot_product_attention`.
        return super().pool(torch.softmax(scores, dim=-1).nan_to_num(0.0), keys, values, valid_lens)

    def stored(self, weights: Tensor, scores: Tensor) -> Tensor:
        self.last_scores = scores
        return super().stored(weights, scores)


class ReturnsWeights(Right):
    """You return the attention weights. Multiply them with the values (`torch.bmm`) and return that; the
    weights go into `self.attention_weights`."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return self.dropout(weights)


class StoresScores(Right):
    """`attention_weights` holds the scores. It has to hold the weights: what the softmax makes of them."""

    def stored(self, weights: Tensor, scores: Tensor) -> Tensor:
        return scores


class StoresTransposedWeights(Right):
    """`attention_weights` is transposed: (batch, keys, queries) instead of (batch, queries, keys)."""

    def stored(self, weights: Tensor, scores: Tensor) -> Tensor:
        return weights.transpose(1, 2)


class StoresSqueezedWeights(Right):
    """With a single query `attention_weights` loses the axis of the queries. Keep (batch, queries, keys);
    squeeze where you plot."""

    def stored(self, weights: Tensor, scores: Tensor) -> Tensor:
        return weights.squeeze()


class StoresUnmaskedWeights(Right):
    """`attention_weights` holds the softmax without the mask; your output is right. Store the weights that
    you multiply with the values."""

    def stored(self, weights: Tensor, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1)


class SqueezesEveryAxis(Right):
    """`squeeze()` removes every axis of size 1: with one sample or query your output loses an axis. It is (batch,
    queries, v) always."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().pool(weights, keys, values, valid_lens).squeeze()


class AllZeros(Right):
    """Everything you return is 0. Maybe a result tensor is created and never filled."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.zeros_like(super().pool(weights, keys, values, valid_lens))


# --- seen by a check, not in the numbers: nothing to repeat, only words -----------------------------


def gradient_stops() -> None:
    """The numbers are right, but the graph is cut on the way: `.detach()`, `.data`, `.item()`,
    `torch.no_grad()` or NumPy. What lies behind the cut never learns."""


def dtype_changed() -> None:
    """The result has another dtype than the inputs. Look for `.float()`, a `dtype=` or a new tensor without
    one."""


def inputs_changed() -> None:
    """You write into the caller's tensors (an operation with a trailing underscore, `+=`, or an assignment to
    a slice), and the caller uses them again. Work on new tensors."""


def returns_nothing() -> None:
    """`forward` returns nothing. Does every branch end with a `return`?"""


def returns_tuple() -> None:
    """You return several things. `forward` returns the output alone; the weights go into
    `self.attention_weights`."""


def weights_not_stored() -> None:
    """`self.attention_weights` is missing (or called something else): set it in `forward`, under this
    name."""


def weights_kept_from_first_call() -> None:
    """`attention_weights` stays that of the first call. Set it in every call."""


def weights_only_in_eval() -> None:
    """`attention_weights` is not refreshed in training mode. Set it in every call."""


def dropout_only_without_lengths() -> None:
    """Weights are dropped without lengths only. Dropout comes after the softmax, whatever `valid_lens` is."""


def stores_dropped_weights() -> None:
    """`attention_weights` holds the weights after dropout. Keep those before it, and drop on the way to the
    values."""


def seeds_in_forward() -> None:
    """You seed torch's generator in `forward`. Then every dropout mask is the same, and everybody else's
    random numbers are too. Leave the seed to the caller."""


def dropout_also_in_eval() -> None:
    """Dropout is active in evaluation mode, so two calls differ. `F.dropout` is on unless it gets
    `training=self.training`; `nn.Dropout` looks after it."""


def dropout_never_applied() -> None:
    """There is no dropout in training mode: either the layer is made and never called, or it misses the
    weights."""


def dropout_rate_ignored() -> None:
    """The dropout rate is always the same, whatever the constructor is given. Hand its argument `dropout`
    on."""


def keeps_with_rate() -> None:
    """You take `dropout` for the probability to keep. `nn.Dropout` takes the probability to drop, as it
    is."""


def dropout_not_rescaled() -> None:
    """The weights that survive dropout keep their size. They have to grow by 1 / (1 - dropout), as
    `nn.Dropout` does it."""


def dropout_mask_kept() -> None:
    """Every call drops the same entries: the mask is drawn once and kept, or `forward` seeds the generator.
    Every call needs a new one."""


def dropout_twice() -> None:
    """Dropout is applied twice. Once, on the weights, is enough."""


def dropout_before_softmax() -> None:
    """You drop something before the softmax (scores, or what they are made of), so every weight changes. Drop
    weights, after the softmax."""


def dropout_on_values() -> None:
    """You drop entries of the values. Drop whole weights, before they meet the values."""


def dropout_on_output() -> None:
    """You drop entries of the output, or of the values. Drop whole weights, before they meet the values."""


def wrong_device() -> None:
    """Your code works on the CPU only: somewhere it makes a tensor without `device=queries.device`, or goes
    through `.cpu()` or NumPy. Create everything where the inputs are."""


def has_parameters() -> None:
    """The module has parameters. Dot-product attention has nothing to learn: it compares queries and keys as
    they come. Projections belong to multi-head attention."""


def needs_lengths() -> None:
    """`valid_lens` cannot be left out. Give it the default None."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU (`.cuda()` or `device="cuda"`), which not every machine has. Create tensors
    where the inputs are: `device=...device`, or `.to(...)`."""


def no_super_init() -> None:
    """The first line of `__init__` must be `super().__init__()`: it is missing, or comes too late."""
