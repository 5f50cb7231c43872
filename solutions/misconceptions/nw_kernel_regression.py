"""Known mistakes in exercise 4. Staff only: the grader names the one that produces a student's numbers.

Each public class is one mistake, a module with the reference's constructor and its parameter `w`, so that a
state dict loads. It overrides only the steps of `Right` in which the student went wrong, so two mistakes that
override different steps combine: `type("Both", (A, B), {})()`. The docstring is what a student reads. The
first of several classes that fit is the simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Right(nn.Module):
    """The right module, in steps."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) * 0.9 + 0.1)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        weights = self.normalise(self.exponent(self.distance(self.spread(queries, keys), keys, values)))
        self.attention_weights = self.stored(weights)
        return self.shaped(self.pool(weights, keys, values))

    def spread(self, queries: Tensor, keys: Tensor) -> Tensor:
        """The query of every row; broadcasts to (queries, keys)."""
        return queries.unsqueeze(1)

    def distance(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return queries - keys

    def width(self) -> Tensor:
        return self.w

    def exponent(self, distance: Tensor) -> Tensor:
        return -((distance * self.width()) ** 2) / 2

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.softmax(exponent, dim=1)

    def stored(self, weights: Tensor) -> Tensor:
        return weights

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (weights * values).sum(dim=1)

    def shaped(self, predictions: Tensor) -> Tensor:
        return predictions


# --- the exponent ----------------------------------------------------------------------------------


class MissingHalf(Right):
    """The factor 1/2 is missing: the exponent of the Gaussian is -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -((distance * self.width()) ** 2)


class HalfInsideSquare(Right):
    """You halve before you square, so the exponent is u²/4. Square first: -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -((distance * self.width() / 2) ** 2)


class NoSquare(Right):
    """The square is missing. The exponent is -u²/2, so that keys on both sides of the query count alike."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -(distance * self.width()) / 2


class NoSquarePositive(Right):
    """The square and the minus sign are missing. The exponent is -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return distance * self.width() / 2


class AbsoluteDistance(Right):
    """You use the absolute distance where the Gaussian has the squared one, -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -(distance * self.width()).abs()


class HalfAbsoluteDistance(Right):
    """You use half the absolute distance where the Gaussian has half the squared one, -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -(distance * self.width()).abs() / 2


class PositiveExponent(Right):
    """The sign is wrong: far keys get the largest weights. Mind that `(-u)**2` is positive; the minus has to
    stand outside the square."""

    def exponent(self, distance: Tensor) -> Tensor:
        return (distance * self.width()) ** 2 / 2


class PositiveExponentMissingHalf(Right):
    """The sign is wrong, far keys get the largest weights, and the factor 1/2 is missing. The exponent is
    -u²/2 with the minus outside the square."""

    def exponent(self, distance: Tensor) -> Tensor:
        return (distance * self.width()) ** 2


class WidthOutsideSquare(Right):
    """w stands outside the square. It multiplies the distance, and the product is squared: ((q - k) · w)²."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -(distance**2) * self.width() / 2


class KernelInsideSoftmax(Right):
    """You take the exponential yourself and give it to softmax, which takes it again. Softmax wants the
    exponents."""

    def exponent(self, distance: Tensor) -> Tensor:
        return torch.exp(super().exponent(distance))


# --- w ---------------------------------------------------------------------------------------------


class WidthIgnored(Right):
    """w plays no part: the result is that of w = 1. Multiply the distances with `self.w` (a softmax of w
    alone is always 1, too)."""

    def width(self) -> Tensor:
        return torch.ones_like(self.w)


class DividesByWidth(Right):
    """You divide the distance by w. Here w multiplies it: a larger w makes a narrower window."""

    def width(self) -> Tensor:
        return 1 / self.w


class WidthSquashed(Right):
    """You send w through a sigmoid. Use it as it is; the square takes care of its sign."""

    def width(self) -> Tensor:
        return torch.sigmoid(self.w)


class WidthExponentiated(Right):
    """You use exp(w) for w. Use it as it is; the square takes care of its sign."""

    def width(self) -> Tensor:
        return torch.exp(self.w)


class WidthClamped(Right):
    """You keep w between 0 and 1. Training wants values far above 1; leave w free."""

    def width(self) -> Tensor:
        return self.w.clamp(0, 1)


class WidthSquared(Right):
    """w is squared twice. It multiplies the distance once, and the product is squared: ((q - k) · w)²."""

    def width(self) -> Tensor:
        return self.w**2


# --- which numbers meet ----------------------------------------------------------------------------


class QueriesTiled(Right):
    """The queries reach the wrong rows: you tile them (`repeat`), so that every row holds all queries. Each
    row needs its own query, repeated: compare `repeat` and `repeat_interleave`."""

    def spread(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries.repeat(keys.shape[1]).reshape(-1, keys.shape[1])


class QueriesAlongKeys(Right):
    """Query j meets the keys of column j: `queries - keys` broadcasts along the last axis. Query i belongs to
    row i, so the queries need an axis of size 1 behind theirs."""

    def spread(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries


class FirstQueryForAll(Right):
    """You use the first query for all rows."""

    def spread(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries[:1].unsqueeze(1)


class KeysOfFirstRow(Right):
    """You compare all queries with the keys of row 0. Every row has its own keys."""

    def distance(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return queries - keys[:1]


class KeysAndValuesSwapped(Right):
    """Keys and values are exchanged: you measure the distance to the values and average the keys."""

    def distance(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return queries - values

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (weights * keys).sum(dim=1)


class DistanceToValues(Right):
    """You measure the distance of the queries to the values. It has to be the distance to the keys."""

    def distance(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return queries - values


class SumForDistance(Right):
    """You add query and key. The kernel looks at their difference."""

    def distance(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return queries + keys


class ProductForDistance(Right):
    """You multiply query and key, as dot-product attention does. The kernel looks at their difference."""

    def distance(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return queries * keys


# --- from exponents to weights ---------------------------------------------------------------------


class SoftmaxOverQueries(Right):
    """The softmax runs over the queries (axis 0). The weights of each query over its keys (axis 1) have to
    sum to 1."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.softmax(exponent, dim=0)


class SoftmaxOverEverything(Right):
    """All weights together sum to 1. Those of each query on its own have to."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.softmax(exponent.flatten(), dim=0).reshape(exponent.shape)


class UnnormalisedKernel(Right):
    """You do not divide by the sum of the kernel values, so the weights do not sum to 1. Softmax does both
    steps."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.exp(exponent)


class UnnormalisedGaussian(Right):
    """You use the Gaussian density without dividing by its sum over the keys, so the weights do not sum to 1.
    Softmax does it, and then the factor 1/sqrt(2 pi) cancels."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.exp(exponent) / math.sqrt(2 * math.pi)


class LogWeights(Right):
    """You use logarithms of the weights (`log_softmax`). The values have to meet the weights themselves."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.log_softmax(exponent, dim=1)


class NoSoftmax(Right):
    """You average with the exponents themselves; the softmax is missing."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return exponent


class KernelUnderflows(Right):
    """Far from every key all exponentials become 0, and 0 divided by 0 is NaN. `torch.softmax` subtracts the
    largest exponent first and has no such trouble."""

    def normalise(self, exponent: Tensor) -> Tensor:
        kernel = torch.exp(exponent)
        return kernel / kernel.sum(dim=1, keepdim=True)


class EpsilonInDenominator(Right):
    """Something is added to the denominator, so that the weights sum to less than 1. `torch.softmax` needs no
    such help."""

    def normalise(self, exponent: Tensor) -> Tensor:
        kernel = torch.exp(exponent)
        return kernel / (kernel.sum(dim=1, keepdim=True) + 1e-2)


class HalfPrecisionInside(Right):
    """You compute in half precision, which keeps three digits. Keep the dtype of the inputs."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return super().normalise(exponent).half().to(exponent.dtype)


class LeaveOneOutInside(Right):
    """You leave out key i for query i inside `forward`. That is done once, by whoever builds the training
    keys; `forward` uses every key that it is given."""

    def normalise(self, exponent: Tensor) -> Tensor:
        own = torch.eye(*exponent.shape, dtype=torch.bool, device=exponent.device)
        return super().normalise(exponent.masked_fill(own, -1e6))


class NearestNeighbour(Right):
    """You return the value of the nearest key. In kernel regression all values take part."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return nn.functional.one_hot(exponent.argmax(dim=1), exponent.shape[1]).to(exponent.dtype)


class EqualWeights(Right):
    """You return the plain average of the values (average pooling). The weights have to depend on the
    distances."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.full_like(exponent, 1 / exponent.shape[1])


# --- from weights to the output --------------------------------------------------------------------


class MeanOfValues(Right):
    """You return the plain average of the values; the weights that you compute are not used."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return values.mean(dim=1)


class AveragesWeightedValues(Right):
    """Your output is too small by the number of keys: a mean where a sum is meant. The weights sum to 1
    already."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (weights * values).mean(dim=1)


class PoolsKeys(Right):
    """You average the keys. The weights have to meet the values."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (weights * keys).sum(dim=1)


class ValuesOfFirstRow(Right):
    """You average the values of row 0 for every query. Every row has its own values."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return weights @ values[0]


class ReturnsWeights(Right):
    """You return the weights. Average the values with them and return that; the weights go into
    `self.attention_weights`."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return weights


class ReturnsWeightedValues(Right):
    """You multiply weights and values and forget to sum over the keys."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return weights * values


class SumsEverything(Right):
    """You sum over queries and keys together. Every query has a prediction of its own: sum over axis 1."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (weights * values).sum()


class ColumnOutput(Right):
    """Your output has an axis too many: (queries, 1). In the loss it would broadcast against (queries,) to a
    whole matrix."""

    def shaped(self, predictions: Tensor) -> Tensor:
        return predictions.unsqueeze(1)


class BmmShapedOutput(Right):
    """You return what `bmm` gives, of shape (queries, 1, 1). Flatten it to (queries,)."""

    def shaped(self, predictions: Tensor) -> Tensor:
        return predictions.reshape(-1, 1, 1)


class SqueezedOutput(Right):
    """With a single query your output loses its only axis: `squeeze()` removes every axis of size 1. Name the
    axis, or use `reshape(-1)`."""

    def shaped(self, predictions: Tensor) -> Tensor:
        return predictions.squeeze()


class StoresSqueezedWeights(Right):
    """With a single query or key `attention_weights` loses an axis: `squeeze()` removes every axis of size 1.
    It is (queries, keys) always."""

    def stored(self, weights: Tensor) -> Tensor:
        return weights.squeeze()


class StoresTransposedWeights(Right):
    """`attention_weights` is transposed: (keys, queries) instead of (queries, keys)."""

    def stored(self, weights: Tensor) -> Tensor:
        return weights.T


class AllZeros(Right):
    """Everything you return is 0. Maybe a result tensor is created and never filled."""

    def pool(self, weights: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return torch.zeros_like(values[:, 0])


# --- seen by a check, not in the numbers: nothing to repeat, only words -----------------------------


def gradient_stops() -> None:
    """The numbers are right, but the graph is cut on the way, so `w` never learns: `.detach()`, `.data`,
    `.item()`, `torch.no_grad()` or NumPy. Use `self.w` itself."""


def frozen_parameter() -> None:
    """`w` is frozen (`requires_grad=False`). It has to learn."""


def dtype_changed() -> None:
    """The result has another dtype than the inputs. Look for `.float()`, a `dtype=` or a new tensor without
    one."""


def wrong_device() -> None:
    """Your code works on the CPU only: somewhere it makes a tensor without `device=queries.device`, or goes
    through `.cpu()` or NumPy. Create everything where the inputs are."""


def inputs_changed() -> None:
    """You write into the caller's tensors (an operation with a trailing underscore, `+=`, or an assignment to
    a slice), and the caller uses them again. Work on new tensors."""


def returns_nothing() -> None:
    """`forward` returns nothing. Does every branch end with a `return`?"""


def returns_tuple() -> None:
    """You return several things. `forward` returns the predictions alone; the weights go into
    `self.attention_weights`."""


def parameter_not_registered() -> None:
    """`w` is no parameter: a plain tensor, or what an operation on an `nn.Parameter` gives, is not
    registered, so no optimiser sees it. Wrap last: the attribute itself has to be an `nn.Parameter`."""


def layers_not_registered() -> None:
    """The module has no parameter: a plain tensor, or what an operation on an `nn.Parameter` gives, is not
    registered, so no optimiser sees it. Wrap last: the attribute itself has to be an `nn.Parameter`."""


def parameter_renamed() -> None:
    """The parameter has another name. It must be called `w`."""


def parameter_without_axis() -> None:
    """`w` has the shape (). It must have the shape (1,)."""


def width_per_key() -> None:
    """`w` is a vector. It is one number for all keys, of shape (1,)."""


def layer_of_wrong_size() -> None:
    """`w` has the wrong shape. It is one number for all queries and keys, of shape (1,)."""


def second_parameter() -> None:
    """The module has a parameter besides `w`. The formula has only one."""


def starts_at_zero() -> None:
    """`w` starts at 0, where its gradient is 0: it never moves. Start it anywhere else."""


def weights_not_stored() -> None:
    """`self.attention_weights` is missing (or called something else): set it in `forward`, under this
    name."""


def weights_kept_from_first_call() -> None:
    """`attention_weights` stays that of the first call. Set it in every call."""


def seeds_in_forward() -> None:
    """You seed torch's generator in `forward` or `__init__`, and everybody else's random numbers with it.
    Leave the seed to the caller."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU (`.cuda()` or `device="cuda"`), which not every machine has. Create tensors
    where the inputs are: `device=...device`, or `.to(...)`."""


def weights_only_in_eval() -> None:
    """`attention_weights` is not refreshed in training mode. Set it in every call."""


def no_super_init() -> None:
    """The first line of `__init__` must be `super().__init__()`: it is missing, or comes too late."""
