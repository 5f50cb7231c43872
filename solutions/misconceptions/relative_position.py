"""Known mistakes in the extension exercise `relative_position`. Staff only: the grader names the one that
produces a student's numbers.

Each public class is one mistake. Calling it, `Mistake(delta, num_hiddens)`, gives what the mistaken function
would return. It overrides only the steps of `Right` in which the student went wrong, so two mistakes that
override different steps combine. The docstring is what a student reads. The first of several classes that
fit is the simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import torch
from torch import Tensor


class Right:
    """The right function, in steps."""

    def __new__(cls, delta: int, num_hiddens: int) -> Tensor:  # type: ignore[misc]
        """A call, not an object: returns the matrices."""
        self = object.__new__(cls)
        angles = self.angles(self.offset(delta), self.frequencies(num_hiddens))
        return self.shaped(self.matrices(torch.sin(angles), torch.cos(angles)))

    def offset(self, delta: int) -> float:
        return delta

    def columns(self, num_hiddens: int) -> Tensor:
        """2j for every pair j."""
        return torch.arange(0, num_hiddens, 2, dtype=torch.get_default_dtype())

    def frequencies(self, num_hiddens: int) -> Tensor:
        return 1 / 10000 ** (self.columns(num_hiddens) / num_hiddens)

    def angles(self, delta: float, frequencies: Tensor) -> Tensor:
        return delta * frequencies

    def matrices(self, sines: Tensor, cosines: Tensor) -> Tensor:
        return _rows((cosines, sines), (-sines, cosines))

    def shaped(self, matrices: Tensor) -> Tensor:
        return matrices


def _rows(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> Tensor:
    return torch.stack((torch.stack(first, -1), torch.stack(second, -1)), -2)


# --- the entries -----------------------------------------------------------------------------------


class TurnsBackwards(Right):
    """Your matrices turn the other way: they lead from position i to i - delta. A matrix is multiplied with
    the pair (sin, cos), sine first, so the minus belongs to the lower left entry. Write sin(a + b) out."""

    def matrices(self, sines: Tensor, cosines: Tensor) -> Tensor:
        return _rows((cosines, -sines), (sines, cosines))


class NoMinus(Right):
    """There is no minus sign: that is no rotation. Write cos(a + b) out: one of its terms is subtracted."""

    def matrices(self, sines: Tensor, cosines: Tensor) -> Tensor:
        return _rows((cosines, sines), (sines, cosines))


class TwoMinuses(Right):
    """Both sines have a minus sign; one of them must not. Write sin(a + b) and cos(a + b) out."""

    def matrices(self, sines: Tensor, cosines: Tensor) -> Tensor:
        return _rows((cosines, -sines), (-sines, cosines))


class MinusOnTheCosine(Right):
    """The minus sign stands at a cosine. Write sin(a + b) and cos(a + b) out: the term with two sines is the
    one that is subtracted."""

    def matrices(self, sines: Tensor, cosines: Tensor) -> Tensor:
        return _rows((cosines, sines), (sines, -cosines))


class SineAndCosineSwapped(Right):
    """Sines and cosines are swapped. At offset 0 nothing must change: the diagonal has to be cos 0 = 1."""

    def matrices(self, sines: Tensor, cosines: Tensor) -> Tensor:
        return _rows((sines, cosines), (-cosines, sines))


class RowsSwapped(Right):
    """The two rows are swapped: your matrices give (cos, sin). The pair is (sin, cos), sine first."""

    def matrices(self, sines: Tensor, cosines: Tensor) -> Tensor:
        return _rows((-sines, cosines), (cosines, sines))


class NothingTurns(Right):
    """Your matrices change nothing (the identity). They have to turn every pair by delta times its
    frequency."""

    def matrices(self, sines: Tensor, cosines: Tensor) -> Tensor:
        ones = torch.ones_like(sines)
        return _rows((ones, 0 * ones), (0 * ones, ones))


# --- the angles ------------------------------------------------------------------------------------


class AbsoluteDelta(Right):
    """Negative offsets give what positive ones give. Leave the sign in: no `abs`."""

    def offset(self, delta: int) -> float:
        return abs(delta)


class NegativeDeltaAsZero(Right):
    """Negative offsets give the identity. They have to lead back: nothing must cut them off at 0."""

    def offset(self, delta: int) -> float:
        return max(delta, 0)


class OnePositionTooMany(Right):
    """Off by one: your matrices move by delta + 1. At offset 0 nothing must change."""

    def offset(self, delta: int) -> float:
        return delta + 1


class OnePositionTooFew(Right):
    """Off by one: your matrices move by delta - 1. At offset 0 nothing must change."""

    def offset(self, delta: int) -> float:
        return delta - 1


class OffsetIgnored(Right):
    """Your matrices do not depend on delta: they always move by one position."""

    def offset(self, delta: int) -> float:
        return 1


class Degrees(Right):
    """You convert the angles to degrees. `torch.sin` and `torch.cos` expect radians."""

    def angles(self, delta: float, frequencies: Tensor) -> Tensor:
        return torch.rad2deg(delta * frequencies)


class FullTurns(Right):
    """You multiply the angles by 2π. The frequencies are meant per radian, as in exercise 5."""

    def angles(self, delta: float, frequencies: Tensor) -> Tensor:
        return 2 * torch.pi * delta * frequencies


class DividesByFrequency(Right):
    """You multiply by 10000^(2j / num_hiddens). Divide by it: later pairs turn more slowly."""

    def angles(self, delta: float, frequencies: Tensor) -> Tensor:
        return delta / frequencies


class AddsFrequency(Right):
    """You add the offset to the frequency. The angle is their product."""

    def angles(self, delta: float, frequencies: Tensor) -> Tensor:
        return delta + frequencies


class OneFrequencyForAll(Right):
    """All pairs turn by the same angle. Pair j has the frequency 1 / 10000^(2j / num_hiddens) of its own."""

    def frequencies(self, num_hiddens: int) -> Tensor:
        return torch.ones_like(self.columns(num_hiddens))


class DoubledExponent(Right):
    """The exponent is doubled: 4j / num_hiddens. `arange(0, num_hiddens, 2)` already is 2j."""

    def frequencies(self, num_hiddens: int) -> Tensor:
        return 1 / 10000 ** (2 * self.columns(num_hiddens) / num_hiddens)


class HalvedExponent(Right):
    """The exponent is halved: j / num_hiddens. It is 2j / num_hiddens."""

    def frequencies(self, num_hiddens: int) -> Tensor:
        return 1 / 10000 ** (self.columns(num_hiddens) / 2 / num_hiddens)


class MissingDivisionByWidth(Right):
    """The exponent lacks its division by num_hiddens: it is 2j / num_hiddens."""

    def frequencies(self, num_hiddens: int) -> Tensor:
        return 1 / 10000 ** self.columns(num_hiddens)


class DividesByNumberOfPairsMinusOne(Right):
    """The exponents run up to 1. They are 2j / num_hiddens, so the last one stays below 1."""

    def frequencies(self, num_hiddens: int) -> Tensor:
        return 1 / 10000 ** (self.columns(num_hiddens) / max(num_hiddens - 2, 1))


class BaseOfThousand(Right):
    """The base is 1000. It is 10000."""

    def frequencies(self, num_hiddens: int) -> Tensor:
        return 1 / 1000 ** (self.columns(num_hiddens) / num_hiddens)


class PairsCountFromOne(Right):
    """Your pairs count from 1. The first pair is j = 0, with frequency 1."""

    def columns(self, num_hiddens: int) -> Tensor:
        return super().columns(num_hiddens) + 2


class MatrixPerColumn(Right):
    """You return one matrix per column. Two columns, a sine and a cosine, make one pair and share a matrix:
    num_hiddens / 2 of them."""

    def columns(self, num_hiddens: int) -> Tensor:
        return torch.arange(num_hiddens, dtype=torch.get_default_dtype())


# --- the form --------------------------------------------------------------------------------------


class PairsBehind(Right):
    """The axis of the pairs stands last: (2, 2, num_hiddens / 2). It comes first."""

    def shaped(self, matrices: Tensor) -> Tensor:
        return matrices.permute(1, 2, 0)


class FlatMatrices(Right):
    """You return four numbers in a row for every pair. Return matrices: (num_hiddens / 2, 2, 2)."""

    def shaped(self, matrices: Tensor) -> Tensor:
        return matrices.reshape(-1, 4)


class OneLargeMatrix(Right):
    """You put all pairs into one large matrix. Return one 2 × 2 matrix per pair, (num_hiddens / 2, 2, 2)."""

    def shaped(self, matrices: Tensor) -> Tensor:
        return torch.block_diag(*matrices)


# --- seen by a check, not in numbers ---------------------------------------------------------------


def dtype_changed() -> None:
    """The result is not float32. NumPy computes in float64, and so do tensors that are made with
    `dtype=torch.float64`; `.float()` at the end is fine."""


def wrong_device() -> None:
    """The result is on another device. Nothing that comes in lies on a GPU, so nothing that goes out does."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU by name. Not every machine has one, and a few sines need none."""


def returns_nothing() -> None:
    """The function returns nothing. Did the `return` get lost?"""


def returns_tuple() -> None:
    """You return several things, or the matrices in a list. Return one tensor: `torch.stack` makes one of a
    list."""
