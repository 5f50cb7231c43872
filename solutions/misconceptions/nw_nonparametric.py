"""Known mistakes in the extension exercise `nw_nonparametric`. Staff only: the grader names the one that
produces a student's numbers.

Each public class is one mistake. Calling it as `Mistake(y_train, n_test)` gives what the mistaken
`average_pooling` would return, as `Mistake(x_test, x_train, y_train)` what `gaussian_pooling` would. It
overrides only the steps of `Right` in which the student went wrong, so two mistakes that override different
steps combine. The docstring is what a student reads. The first of several classes that fit is the simplest
explanation, so the order in here matters.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor


class Right:
    """Both functions, in steps."""

    def __new__(cls, *arguments: Any) -> Any:
        """A call, not an object: two arguments mean `average_pooling`, three `gaussian_pooling`."""
        self = object.__new__(cls)
        return self.average(*arguments) if len(arguments) == 2 else self.gaussian(*arguments)

    def average(self, y_train: Tensor, n_test: int) -> Tensor:
        return self.mean(y_train).repeat(n_test)

    def mean(self, y_train: Tensor) -> Tensor:
        return y_train.mean()

    def gaussian(self, x_test: Tensor, x_train: Tensor, y_train: Tensor) -> tuple[Tensor, Tensor]:
        weights = self.normalise(self.exponent(self.distance(x_test, x_train)))
        return self.results(self.pool(weights, y_train), weights)

    def distance(self, x_test: Tensor, x_train: Tensor) -> Tensor:
        """Shape (n_test, n_train)."""
        return x_test.unsqueeze(1) - x_train

    def exponent(self, distance: Tensor) -> Tensor:
        return -(distance**2) / 2

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.softmax(exponent, dim=1)

    def pool(self, weights: Tensor, y_train: Tensor) -> Tensor:
        return weights @ y_train

    def results(self, y_hat: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return y_hat, weights


# --- average pooling -------------------------------------------------------------------------------


class AverageScalar(Right):
    """`average_pooling` returns a single number. Return one prediction per test input, `n_test` of them,
    even though they are all the same."""

    def average(self, y_train: Tensor, n_test: int) -> Tensor:
        return y_train.mean()


class AverageColumn(Right):
    """The result of `average_pooling` has an axis too many: (n_test, 1). Return shape (n_test,)."""

    def average(self, y_train: Tensor, n_test: int) -> Tensor:
        return super().average(y_train, n_test).unsqueeze(1)


class AveragePerTrainingPoint(Right):
    """`average_pooling` gives one prediction per training point. There has to be one per test input:
    `n_test` of them."""

    def average(self, y_train: Tensor, n_test: int) -> Tensor:
        return self.mean(y_train).repeat(len(y_train))


class SumForAverage(Right):
    """You add the targets up; divide by how many there are."""

    def mean(self, y_train: Tensor) -> Tensor:
        return y_train.sum()


class DividesByTestInputs(Right):
    """You divide the sum of the targets by the number of test inputs. The average of n_train targets is
    their sum divided by n_train."""

    def average(self, y_train: Tensor, n_test: int) -> Tensor:
        return (y_train.sum() / n_test).repeat(n_test)


class MedianForAverage(Right):
    """You take the median of the targets. Average pooling takes their mean."""

    def mean(self, y_train: Tensor) -> Tensor:
        return y_train.median()


class FirstTargetsForAverage(Right):
    """`average_pooling` gives back targets, not their mean. Every test input gets the mean of all of them."""

    def average(self, y_train: Tensor, n_test: int) -> Tensor:
        return y_train.repeat(1 + n_test // len(y_train))[:n_test]


# --- the exponent ----------------------------------------------------------------------------------


class MissingHalf(Right):
    """The factor 1/2 is missing: the exponent of the Gaussian is -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -(distance**2)


class HalfInsideSquare(Right):
    """You halve before you square, so the exponent is u²/4. Square first: -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -((distance / 2) ** 2)


class NoSquare(Right):
    """The square is missing. The exponent is -u²/2, so that points on both sides count alike."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -distance / 2


class AbsoluteDistance(Right):
    """You use the absolute distance where the Gaussian has the squared one, -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -distance.abs()


class HalfAbsoluteDistance(Right):
    """You use half the absolute distance where the Gaussian has half the squared one, -u²/2."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -distance.abs() / 2


class PositiveExponent(Right):
    """The sign is wrong: far points get the largest weights. Mind that `(-u)**2` is positive; the minus has
    to stand outside the square."""

    def exponent(self, distance: Tensor) -> Tensor:
        return distance**2 / 2


class RootOfTwoPiInExponent(Right):
    """The factor 1/√(2π) of the Gaussian ended up inside the exponent. It stands in front of the
    exponential, where it cancels out, so you can leave it away."""

    def exponent(self, distance: Tensor) -> Tensor:
        return -(distance**2) / 2 / math.sqrt(2 * math.pi)


class KernelInsideSoftmax(Right):
    """You apply the exponential twice: the softmax exponentiates already. Give it the exponents -u²/2, or
    divide the exponentials by their sum."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.softmax(exponent.exp(), dim=1)


class DensityInsideSoftmax(Right):
    """You give the Gaussian density to the softmax, which exponentiates once more. Give it the exponents
    -u²/2, or divide the densities by their sum."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.softmax(exponent.exp() / math.sqrt(2 * math.pi), dim=1)


# --- weights ---------------------------------------------------------------------------------------


class EqualWeights(Right):
    """You give all training points the same weight (average pooling). The weights have to depend on the
    distances."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.full_like(exponent, 1 / exponent.shape[1])


class SoftmaxOverTestInputs(Right):
    """Your softmax runs over the test inputs. Each test input shares its weight of 1 among the training
    points: rows have to sum to 1, not columns."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.softmax(exponent, dim=0)


class SoftmaxOverEverything(Right):
    """All weights together sum to 1. Every row has to."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.softmax(exponent.flatten(), dim=0).reshape(exponent.shape)


class NotNormalised(Right):
    """You use the kernel as it is, without dividing by the sum over the training points: your weights do not
    sum to 1."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return exponent.exp()


class DensityNotNormalised(Right):
    """You use the Gaussian density as it is, without dividing by the sum over the training points: your
    weights do not sum to 1."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return exponent.exp() / math.sqrt(2 * math.pi)


class KernelUnderflows(Right):
    """Far from every training point all exponentials become 0, and you divide 0 by 0: NaN. `torch.softmax`
    of the exponents subtracts the largest one first."""

    def normalise(self, exponent: Tensor) -> Tensor:
        heights = exponent.exp()
        return heights / heights.sum(dim=1, keepdim=True)


class SmallNumberInDenominator(Right):
    """You add a small number to the sum that you divide by. Far from every training point it is all that is
    left, and the weights become 0. `torch.softmax` of the exponents needs no such number."""

    def normalise(self, exponent: Tensor) -> Tensor:
        heights = exponent.exp()
        return heights / (heights.sum(dim=1, keepdim=True) + 1e-8)


class NearestPointOnly(Right):
    """The nearest training point gets all the weight. Every point takes part, with a weight that falls with
    its distance."""

    def normalise(self, exponent: Tensor) -> Tensor:
        return torch.nn.functional.one_hot(exponent.argmax(dim=1), exponent.shape[1]).to(exponent.dtype)


class QueriesTiled(Right):
    """The test inputs are mixed within a row: you tile them as a, b, a, b before you reshape, where every
    row needs one of them throughout: a, a, b, b. Compare what `repeat` and `repeat_interleave` do."""

    def distance(self, x_test: Tensor, x_train: Tensor) -> Tensor:
        return x_test.repeat(len(x_train)).reshape(-1, len(x_train)) - x_train


class RowsPerTrainingPoint(Right):
    """Rows and columns are swapped: your weights have a row per training point. They need a row per test
    input and a column per training point."""

    def distance(self, x_test: Tensor, x_train: Tensor) -> Tensor:
        return x_train.unsqueeze(1) - x_test


class ColumnsPerTestInput(Right):
    """You repeat every test input as often as there are test inputs. A row needs one column per training
    point, `len(x_train)`; the two are equal in the text's example only."""

    def distance(self, x_test: Tensor, x_train: Tensor) -> Tensor:
        return x_test.repeat_interleave(len(x_test)).reshape(-1, len(x_test)) - x_train


# --- results ---------------------------------------------------------------------------------------


class AveragesWeightedTargets(Right):
    """Your predictions are too small by the number of training points: a mean where a sum is meant. The
    weights sum to 1 already."""

    def pool(self, weights: Tensor, y_train: Tensor) -> Tensor:
        return (weights * y_train).mean(dim=1)


class TrueFunction(Right):
    """You evaluate the function from which the text draws its data. The prediction has to come from the
    training points, whatever they are."""

    def gaussian(self, x_test: Tensor, x_train: Tensor, y_train: Tensor) -> tuple[Tensor, Tensor]:
        return 2 * torch.sin(x_test) + x_test.abs() ** 0.8, super().gaussian(x_test, x_train, y_train)[1]


class WeightsFirst(Right):
    """You return the weights first. Predictions come first, then the weights."""

    def results(self, y_hat: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return weights, y_hat


class WeightsTransposed(Right):
    """You return the weights transposed. They have a row per test input and a column per training point."""

    def results(self, y_hat: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return y_hat, weights.t()


class WeightsForPlotting(Right):
    """The weights that you return have the two axes that `show_heatmaps` wants in front. Return shape
    (n_test, n_train)."""

    def results(self, y_hat: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return y_hat, weights[None, None]


class ExponentsForWeights(Right):
    """Instead of the weights you return the exponents. Return what the softmax makes of them."""

    def gaussian(self, x_test: Tensor, x_train: Tensor, y_train: Tensor) -> tuple[Tensor, Tensor]:
        exponent = self.exponent(self.distance(x_test, x_train))
        return self.pool(self.normalise(exponent), y_train), exponent


class PredictionsAsColumn(Right):
    """Your predictions have an axis too many: (n_test, 1). Return shape (n_test,)."""

    def results(self, y_hat: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return y_hat.unsqueeze(1), weights


# --- seen by a check, not in numbers ---------------------------------------------------------------


def returns_one_part() -> None:
    """`gaussian_pooling` returns one tensor. It has to return two: the predictions and the weights."""


def gradient_stops() -> None:
    """The gradient stops on its way: somewhere you leave the graph. Look for `.detach()`, `.data`,
    `.item()`, `torch.no_grad()`, NumPy and `torch.tensor(...)`."""


def dtype_changed() -> None:
    """The dtype of the inputs is lost. Look for `.float()`, NumPy, and for tensors that are created without
    `dtype=y_train.dtype`."""


def wrong_device() -> None:
    """Something is created on or moved to the CPU. Create tensors with `device=y_train.device`, and leave
    `.cpu()` and NumPy out."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU by name. Not every machine has one; create tensors with
    `device=y_train.device`."""


def inputs_changed() -> None:
    """You write into the data, which belong to the caller. Look for `x += ...` and the like, and for methods
    that end in `_`."""


def returns_nothing() -> None:
    """A function returns nothing. Did the `return` get lost?"""


def returns_tuple() -> None:
    """`average_pooling` returns several things. Return the predictions alone."""
