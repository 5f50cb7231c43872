"""Known mistakes in multi-head attention. Staff only: the grader names the one that gives a student's numbers.

Each public class is one mistake, a module with the reference's constructor and parameter names, so that a
state dict loads. It overrides only the steps of `Right` in which the student went wrong, so two mistakes that
override different steps combine: `type("Both", (A, B), {})(...)`. The docstring is what a student reads. The
first of several classes that fit is the simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Right(nn.Module):
    """The right module, in steps. Scores and weights have the shape (batch, heads, queries, keys)."""

    def __init__(
        self,
        key_size: int,
        query_size: int,
        value_size: int,
        num_hiddens: int,
        num_heads: int,
        dropout: float,
        bias: bool = False,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=bias)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=bias)
        self.W_v = nn.Linear(value_size, num_hiddens, bias=bias)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None) -> Tensor:
        q, k, v = (self.split(part) for part in self.project(queries, keys, values))
        weights = self.normalise(self.scale(self.match(q, k), q), valid_lens)
        return self.finish(self.merge(self.dropout(weights) @ v))

    def project(self, queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_q(queries), self.W_k(keys), self.W_v(values)

    def split(self, X: Tensor) -> Tensor:
        """(batch, steps, num_hiddens) -> (batch, heads, steps, size of a head)."""
        return X.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries @ keys.transpose(2, 3)

    def scale(self, scores: Tensor, queries: Tensor) -> Tensor:
        return scores / math.sqrt(queries.shape[-1])

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores.masked_fill(~_is_valid(scores, valid_lens), -1e6), dim=-1)

    def merge(self, heads: Tensor) -> Tensor:
        """The way back: (batch, heads, steps, size of a head) -> (batch, steps, num_hiddens)."""
        return heads.transpose(1, 2).flatten(2)

    def finish(self, merged: Tensor) -> Tensor:
        return self.W_o(merged)


def _is_valid(scores: Tensor, valid_lens: Tensor | None, extra: int = 0) -> Tensor:
    """True = may attend; the shape of the scores. `extra` keys more are valid."""
    if valid_lens is None:
        return torch.ones_like(scores, dtype=torch.bool)
    lengths = valid_lens.reshape(scores.shape[0], 1, -1, 1) + extra
    return (torch.arange(scores.shape[-1], device=scores.device) < lengths).expand_as(scores)


# --- the scale -------------------------------------------------------------------------------------


class ScalesByFullWidth(Right):
    """You divide the scores by the square root of num_hiddens. Every head is an attention of its own: divide by
    the square root of the size of one head, num_hiddens / num_heads."""

    def scale(self, scores: Tensor, queries: Tensor) -> Tensor:
        return scores / math.sqrt(queries.shape[-1] * self.num_heads)


class NoScale(Right):
    """The scores are not divided by the square root of the size of a head."""

    def scale(self, scores: Tensor, queries: Tensor) -> Tensor:
        return scores


class DividesByHeadSize(Right):
    """You divide the scores by the size of a head. Divide by its square root."""

    def scale(self, scores: Tensor, queries: Tensor) -> Tensor:
        return scores / queries.shape[-1]


class ScalesByRootOfHeads(Right):
    """You divide the scores by the square root of the number of heads. The scale comes from the size of a
    head, num_hiddens / num_heads."""

    def scale(self, scores: Tensor, queries: Tensor) -> Tensor:
        return scores / math.sqrt(self.num_heads)


class MultipliesByRoot(Right):
    """You multiply the scores by the square root of the size of a head where you should divide."""

    def scale(self, scores: Tensor, queries: Tensor) -> Tensor:
        return scores * math.sqrt(queries.shape[-1])


# --- heads -----------------------------------------------------------------------------------------


class SingleHead(Right):
    """You compute one attention over all num_hiddens features: `num_heads` plays no part. Split the features
    into heads, each with its own softmax."""

    def split(self, X: Tensor) -> Tensor:
        return X.unsqueeze(1)


class SplitsWithoutTranspose(Right):
    """You split into heads with a reshape to (batch, heads, steps, ...) alone. That only re-reads the numbers
    in their old order and mixes time steps: split the last axis, then exchange the axes of steps and heads."""

    def split(self, X: Tensor) -> Tensor:
        return X.reshape(X.shape[0], self.num_heads, X.shape[1], -1)


class MergesWithoutTranspose(Right):
    """You put the heads together with a reshape alone. Exchange the axes of heads and steps first; otherwise the
    numbers of one query end up in the rows of others."""

    def merge(self, heads: Tensor) -> Tensor:
        return heads.reshape(heads.shape[0], heads.shape[2], -1)


class SplitsAndMergesWithoutTranspose(Right):
    """You split into heads and put them together with a reshape alone. That only re-reads the numbers in their
    old order and mixes time steps: the axes of steps and heads have to change places, both times."""

    def split(self, X: Tensor) -> Tensor:
        return X.reshape(X.shape[0], self.num_heads, X.shape[1], -1)

    def merge(self, heads: Tensor) -> Tensor:
        return heads.reshape(heads.shape[0], heads.shape[2], -1)


class InterleavedFeatures(Right):
    """Your heads take every num_heads-th feature. Head 0 takes the first num_hiddens / num_heads features, head 1
    the next ones, and so on: the axis of the heads comes before the axis of their features."""

    def split(self, X: Tensor) -> Tensor:
        return X.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)

    def merge(self, heads: Tensor) -> Tensor:
        return heads.permute(0, 2, 3, 1).flatten(2)


class MergesInterleaved(Right):
    """You put the heads together feature by feature. They stand end to end: all features of head 0, then all
    of head 1."""

    def merge(self, heads: Tensor) -> Tensor:
        return heads.permute(0, 2, 3, 1).flatten(2)


class HeadsSummed(Right):
    """You add the heads up. They stand end to end: every head gives its own features to `W_o`."""

    def merge(self, heads: Tensor) -> Tensor:
        return heads.sum(dim=1).repeat(1, 1, self.num_heads)


class HeadsAveraged(Right):
    """You average the heads. They stand end to end: every head gives its own features to `W_o`."""

    def merge(self, heads: Tensor) -> Tensor:
        return heads.mean(dim=1).repeat(1, 1, self.num_heads)


class HeadsInReverse(Right):
    """You put the heads together in the wrong order: head 0 comes first."""

    def merge(self, heads: Tensor) -> Tensor:
        return super().merge(heads.flip(1))


class WeightsOfFirstHead(Right):
    """You use the weights of head 0 in every head. Each head has its own scores and its own softmax."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        scores = super().match(queries, keys)
        return scores[:, :1].expand_as(scores)


# --- projections -----------------------------------------------------------------------------------


class NoOutputProjection(Right):
    """The last projection is missing: hand the heads, end to end, to `W_o`."""

    def finish(self, merged: Tensor) -> Tensor:
        return merged


class QueriesProjectedAsKeys(Right):
    """You project the queries with `W_k`. Queries go through `W_q`."""

    def project(self, queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_k(queries), self.W_k(keys), self.W_v(values)


class ProjectionsCrossed(Right):
    """You project the queries with `W_k` and the keys with `W_q`. It is the other way round."""

    def project(self, queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_k(queries), self.W_q(keys), self.W_v(values)


class KeysAsValues(Right):
    """You average the projected keys. The weights have to meet the projected values."""

    def project(self, queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_q(queries), self.W_k(keys), self.W_k(keys)


class SizesInOtherOrder(Right):
    """The constructor's arguments are in another order than the docstring gives: `key_size`, `query_size`,
    `value_size`, `num_hiddens`, `num_heads`, `dropout`, `bias`. Callers may leave out the names."""

    def __init__(
        self,
        query_size: int,
        key_size: int,
        value_size: int,
        num_hiddens: int,
        num_heads: int,
        dropout: float,
        bias: bool = False,
    ) -> None:
        super().__init__(key_size, query_size, value_size, num_hiddens, num_heads, dropout, bias)


# --- from scores to weights ------------------------------------------------------------------------


class LengthsIgnored(Right):
    """`valid_lens` is not passed on to the softmax: padding takes part in the pooling."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores, dim=-1)


class LengthsTiled(Right):
    """The lengths reach the wrong heads: with the heads in the batch axis, those of one sample follow each
    other, so the lengths have to be a, a, b, b and not a, b, a, b. Compare `repeat` and
    `repeat_interleave`."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        if valid_lens is None:
            return super().normalise(scores, None)
        rows = scores.flatten(0, 1)
        lengths = valid_lens.reshape(scores.shape[0], -1, 1).repeat(self.num_heads, 1, 1)
        is_valid = torch.arange(scores.shape[-1], device=scores.device) < lengths
        return torch.softmax(rows.masked_fill(~is_valid, -1e6), dim=-1).reshape(scores.shape)


class LengthsOfFirstHeadOnly(Right):
    """Only head 0 is masked. The lengths hold in every head."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        masked, plain = super().normalise(scores, valid_lens), torch.softmax(scores, dim=-1)
        return torch.cat([masked[:, :1], plain[:, 1:]], dim=1)


class SoftmaxOverHeads(Right):
    """The softmax runs over the heads (axis 1). It has to run over the keys, the last axis."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores.masked_fill(~_is_valid(scores, valid_lens), -1e6), dim=1)


class SoftmaxOverQueries(Right):
    """The softmax runs over the queries. It has to run over the keys, the last axis."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return torch.softmax(scores.masked_fill(~_is_valid(scores, valid_lens), -1e6), dim=2)


class NoSoftmax(Right):
    """You pool with the raw scores; the softmax is missing."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return scores * _is_valid(scores, valid_lens)


class EqualWeights(Right):
    """All valid keys get the same weight: the scores play no part."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().normalise(torch.zeros_like(scores), valid_lens)


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


class FirstLengthOfEachSample(Right):
    """Of the lengths of shape (batch, queries) you use only the first one of each sample. Every query has its
    own."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        if valid_lens is not None and valid_lens.dim() == 2:
            valid_lens = valid_lens[:, 0]
        return super().normalise(scores, valid_lens)


class HalfPrecisionInside(Right):
    """You round the weights to half precision, which keeps three digits. Keep the dtype of the inputs."""

    def normalise(self, scores: Tensor, valid_lens: Tensor | None) -> Tensor:
        return super().normalise(scores, valid_lens).half().to(scores.dtype)


class CausalMask(Right):
    """You also mask the keys that come after the query (a causal mask). That belongs into a decoder; here
    every query sees all valid keys."""

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        scores = super().match(queries, keys)
        return scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -1e6)


# --- seen by a check, not in the numbers: nothing to repeat, only words -----------------------------


def arguments_missing() -> None:
    """The constructor takes other arguments: here it is key_size, query_size, value_size, num_hiddens, num_heads,
    dropout, bias=False, in this order. The newest edition of the book leaves out the first three."""


def bias_ignored() -> None:
    """With `bias=True` your layers have no bias. Hand the argument `bias` on to all four `nn.Linear`."""


def gradient_stops() -> None:
    """The numbers are right, but the graph is cut on the way: `.detach()`, `.data`, `.item()`,
    `torch.no_grad()`, NumPy or `requires_grad_(False)`. What lies behind the cut never learns."""


def frozen_layer() -> None:
    """One of the layers is frozen (`requires_grad_(False)` or `.detach()`). All four learn."""


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
    """You return several things. `forward` returns the output alone."""


def layers_not_registered() -> None:
    """The module lacks parameters: layers in a plain list or dict, or made in `forward`, are not registered,
    so they are neither trained nor moved. Make the four wide ones in `__init__` as attributes of their own."""


def layers_renamed() -> None:
    """The layers have other names than the docstring gives them: `W_q`, `W_k`, `W_v` and `W_o`."""


def layers_with_bias() -> None:
    """A layer has a bias although `bias` was not set. Hand the argument on: `nn.Linear(..., bias=bias)`."""


def layer_of_wrong_size() -> None:
    """A layer has the wrong size (the message shows the sizes). `W_q`, `W_k` and `W_v` take a query, key or
    value to num_hiddens features, for all heads together; `W_o` maps num_hiddens to num_hiddens."""


def starts_at_zero() -> None:
    """All weights start at 0, and with them most gradients: they never move. Keep the default
    initialisation."""


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


def dropout_of_features() -> None:
    """Weights are dropped together: the mask is the same for all heads, queries, keys or samples. Every weight
    is dropped, or not, on its own."""


def dropout_on_values() -> None:
    """You drop entries of the values. Drop whole weights, before they meet the values."""


def dropout_on_output() -> None:
    """You drop entries of the output, or of the values. Drop whole weights, before they meet the values."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU (`.cuda()` or `device="cuda"`), which not every machine has. Create tensors
    where the inputs are: `device=...device`, or `.to(...)`."""


def no_super_init() -> None:
    """The first line of `__init__` must be `super().__init__()`: it is missing, or comes too late."""
