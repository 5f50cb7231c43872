"""Known mistakes in attention by concatenation. Staff only: the grader names the one that fits.

Each public class is one mistake, a module with the reference's constructor and parameter names, so that a
state dict loads. It overrides only the steps of `Right` in which the student went wrong, so two mistakes that
override different steps combine: `type("Both", (A, B), {})(...)`. The docstring is what a student reads. The
first of several classes that fit is the simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class Right(nn.Module):
    """The right module, in steps. Everything has two axes on the way."""

    def __init__(
        self, query_size: int, key_size: int, value_size1: int, value_size2: int, output_size: int
    ) -> None:
        super().__init__()
        self.attn = nn.Linear(query_size + key_size, value_size1)
        self.attn_combine = nn.Linear(query_size + value_size2, output_size)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Any:
        weights = self.normalise(self.score(Q[0], K[0]))
        output = self.combine(Q[0], self.pool(weights, V[0]))
        return self.give(output, weights)

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        """(queries, query_size), (queries, key_size) -> (queries, value_size1)."""
        return self.attn(torch.cat([q, k], dim=1))

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=1)

    def pool(self, weights: Tensor, values: Tensor) -> Tensor:
        return weights @ values

    def combine(self, q: Tensor, pooled: Tensor) -> Tensor:
        return self.attn_combine(torch.cat([q, pooled], dim=1))

    def give(self, output: Tensor, weights: Tensor) -> Any:
        return output.unsqueeze(0), weights


# --- the score -------------------------------------------------------------------------------------


class TanhAdded(Right):
    """You apply tanh to the scores. That is part of the text's second rule; the first goes straight from the
    linear layer to the softmax."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.tanh(super().score(q, k))


class ReluAdded(Right):
    """You apply ReLU to the scores. The first rule goes straight from the linear layer to the softmax."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.relu(super().score(q, k))


class KeysTwice(Right):
    """You put the keys next to themselves. Query and key belong next to each other: `cat` of Q and K."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return super().score(k, k)


class QueriesTwice(Right):
    """You put the queries next to themselves. Query and key belong next to each other: `cat` of Q and K."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return super().score(q, q)


class KeyBeforeQuery(Right):
    """In front of the softmax you put the key before the query. The query comes first: the columns of the
    weight of `attn` stand in this order."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return self.attn(torch.cat([k, q], dim=1))


class FirstQueryForAll(Right):
    """You compute the weights of the first row only and use them for all rows."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return super().score(q[:1], k[:1]).expand(q.shape[0], -1)


class ScaledScores(Right):
    """You divide the scores by a square root. Scaling belongs to the third rule, the dot product."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return super().score(q, k) / math.sqrt(k.shape[-1])


# --- from scores to weights ------------------------------------------------------------------------


class SoftmaxOverQueries(Right):
    """The softmax runs over the queries. The weights of one query sum to 1 over the values: `dim=1`, since the
    scores have two axes."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=0)


class NoSoftmax(Right):
    """You pool with the raw scores; the softmax is missing."""

    def normalise(self, scores: Tensor) -> Tensor:
        return scores


class SigmoidForSoftmax(Right):
    """You use the sigmoid where the softmax belongs: the weights of a row have to sum to 1."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.sigmoid(scores)


class LogSoftmax(Right):
    """You use `log_softmax`, which gives the logarithms of the weights. Use `softmax`."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.log_softmax(scores, dim=1)


class EqualWeights(Right):
    """All values get the same weight: the scores play no part."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.full_like(scores, 1 / scores.shape[1])


class HalfPrecisionInside(Right):
    """You round the weights to half precision, which keeps three digits. Keep the dtype of the inputs."""

    def normalise(self, scores: Tensor) -> Tensor:
        return super().normalise(scores).half().to(scores.dtype)


# --- from weights to the output --------------------------------------------------------------------


class BestValueOnly(Right):
    """You take the value with the largest weight alone. Attention averages all values with their weights."""

    def pool(self, weights: Tensor, values: Tensor) -> Tensor:
        return values[weights.argmax(dim=1)]


class NoCombine(Right):
    """The last layer is missing: hand query and pooled value, end to end, to `attn_combine`."""

    def combine(self, q: Tensor, pooled: Tensor) -> Tensor:
        return torch.cat([q, pooled], dim=1)


class PooledBeforeQuery(Right):
    """In front of `attn_combine` you put the pooled value before the query. The query comes first."""

    def combine(self, q: Tensor, pooled: Tensor) -> Tensor:
        return self.attn_combine(torch.cat([pooled, q], dim=1))


class TanhAfterCombine(Right):
    """You apply tanh to the output. It is what `attn_combine` gives, as it is."""

    def combine(self, q: Tensor, pooled: Tensor) -> Tensor:
        return torch.tanh(super().combine(q, pooled))


class OutputWithoutBatchAxis(Right):
    """The output lacks the batch axis: it has the shape (1, queries, output_size). `unsqueeze(0)` brings it
    back."""

    def give(self, output: Tensor, weights: Tensor) -> Any:
        return output, weights


class WeightsWithBatchAxis(Right):
    """`attn_weights` has a batch axis. It has two axes: (queries, value_size1)."""

    def give(self, output: Tensor, weights: Tensor) -> Any:
        return output.unsqueeze(0), weights.unsqueeze(0)


class ScoresInsteadOfWeights(Right):
    """As the second result you return the scores. Return what the softmax makes of them; the output is
    right."""

    def normalise(self, scores: Tensor) -> Tensor:
        self.last_scores = scores
        return super().normalise(scores)

    def give(self, output: Tensor, weights: Tensor) -> Any:
        return output.unsqueeze(0), self.last_scores


class ResultsSwapped(Right):
    """You return the weights first. The output comes first, then `attn_weights`."""

    def give(self, output: Tensor, weights: Tensor) -> Any:
        return weights, output.unsqueeze(0)


class SqueezesEveryAxis(Right):
    """`squeeze()` removes every axis of size 1: with a single query the axis of the queries goes as well. Take
    away the batch axis alone, with `[0]` or `squeeze(0)`."""

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Any:
        q, k, v = Q.squeeze(), K.squeeze(), V.squeeze()
        weights = self.normalise(self.score(q, k))
        return self.give(self.combine(q, self.pool(weights, v)), weights)


# --- seen by a check, not in the numbers: nothing to repeat, only words -----------------------------


def returns_one_part() -> None:
    """`forward` returns one thing, or more than two. It returns the output and the weights: `return output,
    attn_weights`."""


def returns_nothing() -> None:
    """`forward` returns nothing. Does every branch end with a `return`?"""


def layers_without_bias() -> None:
    """The layers have no bias. Here both have one, as the text's `nn.Linear` has it by default."""


def layers_renamed() -> None:
    """The layers have other names than the docstring gives them: `attn` and `attn_combine`."""


def layers_not_registered() -> None:
    """The module lacks parameters: layers in a plain list or dict, or made in `forward`, are not registered,
    so they are neither trained nor moved. Make them in `__init__` as attributes of their own."""


def layer_of_wrong_size() -> None:
    """A layer has the wrong size (the message shows the sizes). `attn` takes query and key to value_size1
    scores; `attn_combine` takes query and pooled value, so query_size + value_size2 numbers."""


def frozen_layer() -> None:
    """One of the layers is frozen (`requires_grad_(False)` or `.detach()`). Both learn."""


def starts_at_zero() -> None:
    """All weights start at 0. Keep the default initialisation."""


def seeds_in_forward() -> None:
    """You seed torch's generator in `forward`. Then everybody else's random numbers repeat as well. Leave the
    seed to the caller."""


def gradient_stops() -> None:
    """The numbers are right, but the graph is cut on the way: `.detach()`, `.data`, `.item()`,
    `torch.no_grad()`, NumPy or `requires_grad_(False)`. What lies behind the cut never learns."""


def dtype_changed() -> None:
    """The result has another dtype than the inputs. Look for `.float()`, a `dtype=` or a new tensor without
    one."""


def wrong_device() -> None:
    """Your code works on the CPU only: somewhere it makes a tensor (or a layer, in `forward`) without
    `device=Q.device`, or goes through `.cpu()` or NumPy. Create everything where the inputs are."""


def inputs_changed() -> None:
    """You write into the caller's tensors (an operation with a trailing underscore, `+=`, or an assignment to
    a slice), and the caller uses them again. Work on new tensors."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU (`.cuda()` or `device="cuda"`), which not every machine has. Create tensors
    where the inputs are: `device=...device`, or `.to(...)`."""


def no_super_init() -> None:
    """The first line of `__init__` must be `super().__init__()`: it is missing, or comes too late."""
