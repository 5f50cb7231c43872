"""Known mistakes in two more attention rules. Staff only: the grader names the one that fits.

Each public class is one mistake of one rule: `symbol` says of which. It overrides only the steps in which the
student went wrong. Two mistakes of the tanh rule that override different steps combine: `type("Both", (A, B),
{})(...)`. The docstring is what a student reads. The first of several classes that fit is the simplest
explanation, so the order in here matters.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class Right(nn.Module):
    """The right module of the tanh rule, in steps."""

    symbol = "TanhSumAttn"

    def __init__(self, query_size: int, key_size: int, hidden_size: int) -> None:
        super().__init__()
        self.attn = nn.Linear(query_size + key_size, hidden_size)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Any:
        scores = self.read(self.activate(self.attn(self.pair(Q, K))))
        weights = self.normalise(scores)
        return self.give(self.pool(weights, K, V), weights, scores)

    def pair(self, Q: Tensor, K: Tensor) -> Tensor:
        """Shape (batch, queries, keys, query_size + key_size)."""
        shape = (*Q.shape[:2], K.shape[1], -1)
        return torch.cat([Q.unsqueeze(2).expand(shape), K.unsqueeze(1).expand(shape)], dim=-1)

    def activate(self, features: Tensor) -> Tensor:
        return torch.tanh(features)

    def read(self, features: Tensor) -> Tensor:
        return features.sum(dim=-1)

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1)

    def pool(self, weights: Tensor, K: Tensor, V: Tensor) -> Tensor:
        return torch.bmm(weights, V)

    def give(self, output: Tensor, weights: Tensor, scores: Tensor) -> Any:
        return output, weights


# --- the tanh rule ---------------------------------------------------------------------------------


class NoTanh(Right):
    """The tanh is missing. Without it the score is a linear function of query and key, and the query cancels out
    in the softmax. Apply `torch.tanh` to what the layer gives, before the sum."""

    def activate(self, features: Tensor) -> Tensor:
        return features


class TanhAfterSum(Right):
    """You apply tanh to the sum. It comes before the sum, on every feature of the layer."""

    def activate(self, features: Tensor) -> Tensor:
        return features

    def read(self, features: Tensor) -> Tensor:
        return torch.tanh(features.sum(dim=-1))


class ReluForTanh(Right):
    """You use ReLU where the rule has tanh."""

    def activate(self, features: Tensor) -> Tensor:
        return torch.relu(features)


class SigmoidForTanh(Right):
    """You use the sigmoid where the rule has tanh."""

    def activate(self, features: Tensor) -> Tensor:
        return torch.sigmoid(features)


class MeanForSum(Right):
    """You average the features. The rule sums them up."""

    def read(self, features: Tensor) -> Tensor:
        return features.mean(dim=-1)


class RootOfFeatures(Right):
    """You divide the sum by the square root of the number of features. Scaling belongs to the other rule."""

    def read(self, features: Tensor) -> Tensor:
        return features.sum(dim=-1) / math.sqrt(features.shape[-1])


class FirstFeatureOnly(Right):
    """You take the first feature alone. The rule sums up all of them."""

    def read(self, features: Tensor) -> Tensor:
        return features[..., 0]


class KeyBeforeQuery(Right):
    """You put the key before the query. The query comes first: the columns of the weight of `attn` stand in
    this order."""

    def pair(self, Q: Tensor, K: Tensor) -> Tensor:
        shape = (*Q.shape[:2], K.shape[1], -1)
        return torch.cat([K.unsqueeze(1).expand(shape), Q.unsqueeze(2).expand(shape)], dim=-1)


class FirstQueryForAll(Right):
    """You compute scores for the first query only and use them for all queries."""

    def pair(self, Q: Tensor, K: Tensor) -> Tensor:
        return super().pair(Q[:, :1].expand_as(Q), K)


class FirstSampleForAll(Right):
    """You compute scores for the first sample only and use them for the whole batch."""

    def pair(self, Q: Tensor, K: Tensor) -> Tensor:
        return super().pair(Q[:1].expand_as(Q), K[:1].expand_as(K))


class SoftmaxOverQueries(Right):
    """The softmax of the tanh rule runs over the queries (axis 1). It has to run over the keys, the last
    axis."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=1)


class SoftmaxOverBatch(Right):
    """The softmax of the tanh rule runs over axis 0 and mixes samples. It has to run over the keys, the last
    axis."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=0)


class NoSoftmax(Right):
    """The tanh rule pools with the raw scores; the softmax is missing."""

    def normalise(self, scores: Tensor) -> Tensor:
        return scores


class HalfPrecisionInside(Right):
    """You round the weights to half precision, which keeps three digits. Keep the dtype of the inputs."""

    def normalise(self, scores: Tensor) -> Tensor:
        return super().normalise(scores).half().to(scores.dtype)


class KeysAsValues(Right):
    """You average the keys. The weights have to meet V."""

    def pool(self, weights: Tensor, K: Tensor, V: Tensor) -> Tensor:
        return torch.bmm(weights, K)


class MeanOfValues(Right):
    """You return the plain average of V; the weights play no part in it."""

    def pool(self, weights: Tensor, K: Tensor, V: Tensor) -> Tensor:
        return torch.bmm(torch.full_like(weights, 1 / weights.shape[-1]), V)


class ScoresInsteadOfWeights(Right):
    """As the second result you return the scores. Return what the softmax makes of them."""

    def give(self, output: Tensor, weights: Tensor, scores: Tensor) -> Any:
        return output, scores


class WeightsFirst(Right):
    """You return the weights first. The output comes first, then `attn_weights`."""

    def give(self, output: Tensor, weights: Tensor, scores: Tensor) -> Any:
        return weights, output


class FirstRuleForTanh(Right):
    """In the tanh rule row i of Q meets row i of K only, as in the first rule. Here every query meets every key:
    a score for each pair."""

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Any:
        scores = self.read(self.activate(self.attn(torch.cat([Q, K], dim=-1))))
        scores = scores.unsqueeze(1).expand(-1, Q.shape[1], -1)
        weights = self.normalise(scores)
        return self.give(self.pool(weights, K, V), weights, scores)


class SqueezesEveryAxis(Right):
    """`squeeze()` removes every axis of size 1: with one sample, query or key the scores lose an axis that they
    need."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores.squeeze(), dim=-1)


# --- the scaled dot rule ---------------------------------------------------------------------------


class _Dot:
    """The right function of the scaled dot rule, in steps. A call, not an object: returns both results."""

    symbol = "scaled_dot_attn"

    def __new__(cls, Q: Tensor, K: Tensor, V: Tensor) -> Any:
        rule = object.__new__(cls)
        scores = rule.scale(rule.match(Q, K), Q)
        weights = rule.normalise(scores)
        return rule.give(torch.bmm(weights, V), weights, scores)

    def match(self, Q: Tensor, K: Tensor) -> Tensor:
        return torch.bmm(Q, K.transpose(1, 2))

    def scale(self, scores: Tensor, Q: Tensor) -> Tensor:
        return scores / math.sqrt(Q.shape[-1])

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1)

    def give(self, output: Tensor, weights: Tensor, scores: Tensor) -> Any:
        return output, weights


class DotNotScaled(_Dot):
    """The dot products are not divided by sqrt(d)."""

    def scale(self, scores: Tensor, Q: Tensor) -> Tensor:
        return scores


class DotDividedByD(_Dot):
    """You divide by d. Divide by its square root."""

    def scale(self, scores: Tensor, Q: Tensor) -> Tensor:
        return scores / Q.shape[-1]


class DotScaledByRootOfKeys(_Dot):
    """You divide by the square root of the number of keys: that is another axis. d is the size of a query."""

    def scale(self, scores: Tensor, Q: Tensor) -> Tensor:
        return scores / math.sqrt(scores.shape[-1])


class DotTimesRoot(_Dot):
    """You multiply by sqrt(d) where you should divide."""

    def scale(self, scores: Tensor, Q: Tensor) -> Tensor:
        return scores * math.sqrt(Q.shape[-1])


class DotReshapesKeys(_Dot):
    """You reshape the keys to (batch, d, keys). That only re-reads the numbers in their old order; to exchange two
    axes, transpose."""

    def match(self, Q: Tensor, K: Tensor) -> Tensor:
        return torch.bmm(Q, K.reshape(K.shape[0], K.shape[2], K.shape[1]))


class DotSoftmaxOverQueries(_Dot):
    """The softmax of the scaled dot rule runs over the queries (axis 1). It has to run over the keys, the last
    axis."""

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=1)


class DotNoSoftmax(_Dot):
    """The scaled dot rule pools with the raw scores; the softmax is missing."""

    def normalise(self, scores: Tensor) -> Tensor:
        return scores


class DotScaleAfterSoftmax(_Dot):
    """You divide the weights, not the scores, by sqrt(d): they sum to 1 / sqrt(d). Scale before the softmax."""

    def scale(self, scores: Tensor, Q: Tensor) -> Tensor:
        self.root = math.sqrt(Q.shape[-1])
        return scores

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1) / self.root


class DotScoresInsteadOfWeights(_Dot):
    """As the second result of the scaled dot rule you return the scores. Return what the softmax makes of
    them."""

    def give(self, output: Tensor, weights: Tensor, scores: Tensor) -> Any:
        return output, scores


class DotWeightsFirst(_Dot):
    """`scaled_dot_attn` returns the weights first. The output comes first, then `attn_weights`."""

    def give(self, output: Tensor, weights: Tensor, scores: Tensor) -> Any:
        return weights, output


# --- seen by a check, not in the numbers: nothing to repeat, only words -----------------------------


def returns_one_part() -> None:
    """A rule returns one thing, or more than two. It returns the output and the weights: `return output,
    attn_weights`."""


def returns_nothing() -> None:
    """A rule returns nothing. Does every branch end with a `return`?"""


def layer_renamed() -> None:
    """The layer has another name than the docstring gives it: `attn`."""


def layers_not_registered() -> None:
    """The module lacks parameters: a layer in a plain list or dict, or made in `forward`, is not registered, so
    it is neither trained nor moved. Make it in `__init__` as an attribute of its own, with its bias."""


def layer_of_wrong_size() -> None:
    """The layer has the wrong size (the message shows it). It takes query and key, end to end, to hidden_size
    features."""


def frozen_layer() -> None:
    """The layer is frozen (`requires_grad_(False)` or `.detach()`). It learns."""


def starts_at_zero() -> None:
    """The layer starts at 0. Keep the default initialisation."""


def seeds_the_generator() -> None:
    """You seed torch's generator. Then everybody else's random numbers repeat as well. Leave the seed to the
    caller."""


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


def no_super_init() -> None:
    """The first line of `__init__` must be `super().__init__()`: it is missing, or comes too late."""
