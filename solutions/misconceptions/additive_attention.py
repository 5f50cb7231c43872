"""Known mistakes in exercise 2. Staff only: the grader names the one that produces a student's numbers.

Each public class is one mistake, a module with the reference's constructor and parameter names, so that a
state dict loads. It overrides only the steps of `Right` in which the student went wrong, so two mistakes that
override different steps combine: `type("Both", (A, B), {})(...)`. The docstring is what a student reads. The
first of several classes that fit is the simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import math

import torch
from masked_softmax import masked_softmax
from torch import Tensor, nn


class Right(nn.Module):
    """The right module, in steps."""

    def __init__(self, key_size: int, query_size: int, num_hiddens: int, dropout: float) -> None:
        super().__init__()
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        scores = self.score(*self.project(queries, keys))
        weights = self.normalise(scores, valid_lens)
        self.attention_weights = self.stored(weights, scores)
        return self.pool(weights, keys, values, valid_lens)

    def project(self, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        return self.W_q(queries), self.W_k(keys)

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Shape (batch, queries, keys)."""
        return self.read(self.activate(self.combine(queries, keys)))

    def combine(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Shape (batch, queries, keys, num_hiddens)."""
        return queries.unsqueeze(2) + keys.unsqueeze(1)

    def activate(self, features: Tensor) -> Tensor:
        return torch.tanh(features)

    def read(self, features: Tensor) -> Tensor:
        return self.w_v(features).squeeze(-1)

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


# --- the score -------------------------------------------------------------------------------------


class NoTanh(Right):
    """The tanh is missing. Without it the score is a linear function of query and key, and the query cancels
    out in the softmax. Apply `torch.tanh` to the sum of the two projections, before `w_v`."""

    def activate(self, features: Tensor) -> Tensor:
        return features


class ReluForTanh(Right):
    """You use ReLU where additive attention has tanh. Look at the score in the docstring."""

    def activate(self, features: Tensor) -> Tensor:
        return torch.relu(features)


class SigmoidForTanh(Right):
    """You use the sigmoid where additive attention has tanh. Look at the score in the docstring."""

    def activate(self, features: Tensor) -> Tensor:
        return torch.sigmoid(features)


class GeluForTanh(Right):
    """You use GELU where additive attention has tanh. Look at the score in the docstring."""

    def activate(self, features: Tensor) -> Tensor:
        return nn.functional.gelu(features)


class TanhTwice(Right):
    """tanh is applied twice. Once is enough: to the sum of the two projections."""

    def activate(self, features: Tensor) -> Tensor:
        return torch.tanh(torch.tanh(features))


class TanhAfterReading(Right):
    """You apply tanh after `w_v`, to the score. It belongs before `w_v`, on the sum of the two
    projections."""

    def activate(self, features: Tensor) -> Tensor:
        return features

    def read(self, features: Tensor) -> Tensor:
        return torch.tanh(super().read(features))


class MultipliesProjections(Right):
    """You multiply the projected query and key. Additive attention adds them, hence its name."""

    def combine(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries.unsqueeze(2) * keys.unsqueeze(1)


class SubtractsProjections(Right):
    """You subtract the projected key from the query. Additive attention adds them."""

    def combine(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries.unsqueeze(2) - keys.unsqueeze(1)


class QueryIgnored(Right):
    """The queries make no difference: every query gets the same weights. Either they are left out of the
    scores, or tanh is applied to query and key on their own, and then the query cancels out in the softmax.
    Add the two projections first, then apply tanh to the sum."""

    def combine(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().combine(torch.zeros_like(queries), keys)


class ReadingIgnored(Right):
    """You add up the hidden features without `w_v`. Its weights say how much each feature counts."""

    def read(self, features: Tensor) -> Tensor:
        return features.sum(dim=-1)


class ReadingIgnoredMean(Right):
    """You average the hidden features without `w_v`. Its weights say how much each feature counts."""

    def read(self, features: Tensor) -> Tensor:
        return features.mean(dim=-1)


class ScaledScores(Right):
    """You divide the scores by the square root of `num_hiddens`. That scaling belongs to dot-product
    attention; additive scores are used as they are."""

    def read(self, features: Tensor) -> Tensor:
        return super().read(features) / math.sqrt(features.shape[-1])


class DividesByNumHiddens(Right):
    """You divide the scores by `num_hiddens`, perhaps through a mean where a sum is meant. Additive scores
    are used as they are."""

    def read(self, features: Tensor) -> Tensor:
        return super().read(features) / features.shape[-1]


class SqueezesEveryAxis(Right):
    """`squeeze()` removes every axis of size 1, not only the last: with one sample, query or key the scores lose
    an axis that they need. Name the axis: `squeeze(-1)`."""

    def read(self, features: Tensor) -> Tensor:
        return self.w_v(features).squeeze()


class AddsDotProduct(Right):
    """You add the dot product of projected query and key to the additive score. Choose one of the two scores;
    here it is w_v · tanh(W_q q + W_k k) and nothing else."""

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().score(queries, keys) + torch.bmm(queries, keys.transpose(1, 2))


class DotProductScores(Right):
    """You score with the dot product of projected query and key. Additive attention adds the two, applies
    tanh and lets `w_v` read the score."""

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(queries, keys.transpose(1, 2))


class ScaledDotProductScores(Right):
    """You score with the scaled dot product of projected query and key. Additive attention adds the two,
    applies tanh and lets `w_v` read the score."""

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])


class NegatedScores(Right):
    """Your scores have the wrong sign: the best key gets the smallest weight."""

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        return -super().score(queries, keys)


class ProjectionsCrossed(Right):
    """You project the queries with `W_k` and the keys with `W_q`. It is the other way round."""

    def project(self, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        return self.W_k(queries), self.W_q(keys)


class SizesInOtherOrder(Right):
    """The constructor's arguments are in another order than the docstring gives: `key_size` comes first, then
    `query_size`. Callers may leave out the names."""

    def __init__(self, query_size: int, key_size: int, num_hiddens: int, dropout: float) -> None:
        super().__init__(key_size, query_size, num_hiddens, dropout)


class FirstSampleForAll(Right):
    """You compute scores for the first sample only and use them for the whole batch. Every sample has its own
    queries and keys."""

    def project(self, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        return self.W_q(queries[:1].expand_as(queries)), self.W_k(keys[:1].expand_as(keys))


class FirstQueryForAll(Right):
    """You compute scores for the first query only and use them for all queries."""

    def project(self, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        return self.W_q(queries[:, :1].expand_as(queries)), self.W_k(keys)


# --- from scores to weights ------------------------------------------------------------------------


class HalfPrecisionInside(Right):
    """You compute the scores in half precision, which keeps three digits. Keep the dtype of the inputs."""

    def activate(self, features: Tensor) -> Tensor:
        return super().activate(features).half().to(features.dtype)


class LengthsIgnored(Right):
    """`valid_lens` is not passed on to the softmax: padding takes part in the pooling."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores, dim=-1)


class SoftmaxBeforeSqueeze(Right):
    """All your weights are 1: the softmax runs over an axis of size 1. `w_v` leaves a last axis of size 1;
    remove it first, then take the softmax over the keys."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.ones_like(scores)


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


class ReturnsValues(Right):
    """You return the first values as they came (and, for the inputs of the book's example, perhaps the numbers
    that it prints). Every query gets an average of all valid values: compute the weights and the average."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        return values[:, : weights.shape[1]]


class SqueezesOutput(Right):
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
    `torch.no_grad()`, NumPy or `requires_grad_(False)`. What lies behind the cut never learns."""


def frozen_layer() -> None:
    """One of the layers is frozen (`requires_grad_(False)` or `.detach()`). All three learn."""


def dtype_changed() -> None:
    """The result has another dtype than the inputs. Look for `.float()`, a `dtype=` or a new tensor without
    one."""


def wrong_device() -> None:
    """Your code works on the CPU only: somewhere it makes a tensor (or a layer, in `forward`) without
    `device=queries.device`, or goes through `.cpu()` or NumPy. Create everything where the inputs are."""


def inputs_changed() -> None:
    """You write into the caller's tensors (an operation with a trailing underscore, `+=`, or an assignment to
    a slice), and the caller uses them again. Work on new tensors."""


def returns_nothing() -> None:
    """`forward` returns nothing. Does every branch end with a `return`?"""


def returns_tuple() -> None:
    """You return several things. `forward` returns the output alone; the weights go into
    `self.attention_weights`."""


def layers_not_registered() -> None:
    """The module lacks parameters: layers in a plain list or dict, or made in `forward`, are not registered,
    so they are neither trained nor moved. Make them in `__init__` as attributes of their own."""


def layers_made_in_forward() -> None:
    """A layer is made anew in every call: it starts from random weights each time and never learns. Make it
    in `__init__`."""


def layers_renamed() -> None:
    """The layers have other names than the docstring gives them: `W_k`, `W_q` and `w_v`."""


def layers_with_bias() -> None:
    """A layer has a bias. The score has none: use `bias=False` in all three."""


def layer_of_wrong_size() -> None:
    """A layer has the wrong size (the message shows the sizes). `W_k` takes keys and `W_q` queries to
    `num_hiddens` features; `w_v` makes one score of them, so its output size is 1."""


def starts_at_zero() -> None:
    """All weights start at 0, and with them the gradients of `W_k` and `W_q`: they never move. Keep the
    default initialisation."""


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


def needs_a_gpu() -> None:
    """Your code asks for a GPU (`.cuda()` or `device="cuda"`), which not every machine has. Create tensors
    where the inputs are: `device=...device`, or `.to(...)`."""


def no_super_init() -> None:
    """The first line of `__init__` must be `super().__init__()`: it is missing, or comes too late."""
