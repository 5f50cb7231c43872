"""Known mistakes in exercise 5. Staff only: the grader names the one that produces a student's numbers.

Each public class is one mistake, a module with the reference's constructor. It overrides only the steps of
`Right` in which the student went wrong, so two mistakes that override different steps combine: `type("Both",
(A, B), {})(...)`. The docstring is what a student reads. The first of several classes that fit is the
simplest explanation, so the order in here matters.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Right(nn.Module):
    """The right module, in steps; the table has torch's default dtype."""

    P: Tensor

    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        angles = self.angles(self.positions(max_len), self.exponents(num_hiddens))
        table = self.table(angles, num_hiddens).to(torch.get_default_dtype())
        self.register_buffer("P", self.stored(table.unsqueeze(0)), persistent=False)

    def positions(self, max_len: int) -> Tensor:
        """Shape (max_len, 1)."""
        return torch.arange(max_len, dtype=torch.get_default_dtype()).unsqueeze(1)

    def exponents(self, num_hiddens: int) -> Tensor:
        """Shape (num_hiddens / 2,)."""
        return torch.arange(0, num_hiddens, 2, dtype=torch.get_default_dtype()) / num_hiddens

    def angles(self, positions: Tensor, exponents: Tensor) -> Tensor:
        return positions / torch.pow(10000, exponents)

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        """Shape (max_len, num_hiddens)."""
        return torch.stack((torch.sin(angles), torch.cos(angles)), dim=-1).flatten(1)

    def stored(self, table: Tensor) -> Tensor:
        return table

    def forward(self, X: Tensor) -> Tensor:
        return self.dropout(self.add(X, self.rows(X)))

    def rows(self, X: Tensor) -> Tensor:
        """The part of the table that is added; broadcasts to the shape of X."""
        return self.P[:, : X.shape[1]]

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return X + rows


# --- positions and frequencies ---------------------------------------------------------------------


class PositionsFromOne(Right):
    """Your positions start at 1. The first one is 0, so the first row of P is 0, 1, 0, 1, ..."""

    def positions(self, max_len: int) -> Tensor:
        return super().positions(max_len) + 1


class NormalisedPositions(Right):
    """You divide the positions by `max_len`. They are the whole numbers 0, 1, 2, ..."""

    def positions(self, max_len: int) -> Tensor:
        return super().positions(max_len) / max_len


class PositionsBackwards(Right):
    """Your positions run backwards. The first row of P belongs to position 0."""

    def positions(self, max_len: int) -> Tensor:
        return super().positions(max_len).flip(0)


class HalvedExponent(Right):
    """The exponent is j/d where it should be 2j/d: the frequencies fall too slowly (a base of 100 has the
    same effect). Look at the step of your `arange`."""

    def exponents(self, num_hiddens: int) -> Tensor:
        return super().exponents(num_hiddens) / 2


class DoubledExponent(Right):
    """The exponent is 4j/d where it should be 2j/d. `arange(0, d, 2)` gives 2j already; the factor 2 is in
    there twice."""

    def exponents(self, num_hiddens: int) -> Tensor:
        return super().exponents(num_hiddens) * 2


class ExponentNotDivided(Right):
    """The exponent is 2j: the division by `num_hiddens` is missing."""

    def exponents(self, num_hiddens: int) -> Tensor:
        return super().exponents(num_hiddens) * num_hiddens


class ExponentNotDoubledOrDivided(Right):
    """The exponent is j where it should be 2j/d: the factor 2 and the division by `num_hiddens` are
    missing."""

    def exponents(self, num_hiddens: int) -> Tensor:
        return super().exponents(num_hiddens) * num_hiddens / 2


class ExponentFromOne(Right):
    """Your j starts at 1. The first pair of columns has j = 0 and therefore the frequency 1."""

    def exponents(self, num_hiddens: int) -> Tensor:
        return super().exponents(num_hiddens) + 2 / num_hiddens


class ExponentReachesOne(Right):
    """Your frequencies go all the way down to 1/10000: j is divided by d/2 - 1 (some other libraries do so).
    Here the exponent is 2j/d."""

    def exponents(self, num_hiddens: int) -> Tensor:
        pairs = num_hiddens // 2
        return torch.arange(pairs, dtype=torch.get_default_dtype()) / max(pairs - 1, 1)


class MultipliesFrequency(Right):
    """You multiply the position with 10000^(2j/d). Divide by it: later columns have to change more slowly."""

    def angles(self, positions: Tensor, exponents: Tensor) -> Tensor:
        # Such large angles are noise in float32, and always the same noise: computed as a student does.
        return positions.float() * torch.pow(10000, exponents.float())


class SingleFrequency(Right):
    """All your columns have the same frequency, 1. Divide the position by 10000^(2j/d)."""

    def angles(self, positions: Tensor, exponents: Tensor) -> Tensor:
        return positions.expand(-1, len(exponents))


class BaseThousand(Right):
    """Your base is 1000. It is 10000."""

    def angles(self, positions: Tensor, exponents: Tensor) -> Tensor:
        return positions / torch.pow(1000, exponents)


class BaseHundredThousand(Right):
    """Your base is 100000. It is 10000."""

    def angles(self, positions: Tensor, exponents: Tensor) -> Tensor:
        return positions / torch.pow(100000, exponents)


class BaseE(Right):
    """Your base is e, the 10000 is missing: the frequency is 10000^(-2j/d), or exp(-2j/d · log(10000))."""

    def angles(self, positions: Tensor, exponents: Tensor) -> Tensor:
        return positions * torch.exp(-exponents)


class DecimalLogarithm(Right):
    """You mix `exp` with the logarithm to base 10. `exp` goes with the natural one, `math.log`."""

    def angles(self, positions: Tensor, exponents: Tensor) -> Tensor:
        return positions * torch.exp(-exponents * math.log10(10000))


class FloorDivision(Right):
    """A floor division (`//`) rounds your exponent to a whole number: a / d // 2 means (a / d) // 2. Use `/`
    and parentheses."""

    def angles(self, positions: Tensor, exponents: Tensor) -> Tensor:
        num_hiddens = 2 * len(exponents)
        factor = -math.log(10000.0) / num_hiddens // 2
        return positions * torch.exp(torch.arange(0, num_hiddens, 2, dtype=exponents.dtype) * factor)


# --- sines and cosines -----------------------------------------------------------------------------


class SinCosSwapped(Right):
    """Sine and cosine are exchanged: even columns are sines, odd columns cosines."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        return torch.stack((torch.cos(angles), torch.sin(angles)), dim=-1).flatten(1)


class AllSine(Right):
    """All your columns are sines. Odd columns are cosines."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        return torch.stack((torch.sin(angles), torch.sin(angles)), dim=-1).flatten(1)


class AllCosine(Right):
    """All your columns are cosines. Even columns are sines."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        return torch.stack((torch.cos(angles), torch.cos(angles)), dim=-1).flatten(1)


class OddColumnsMissing(Right):
    """The odd columns of your table are 0: the cosines are missing."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        return torch.stack((torch.sin(angles), torch.zeros_like(angles)), dim=-1).flatten(1)


class HalvesConcatenated(Right):
    """The sines fill the first half of the columns and the cosines the second. They have to alternate: sine,
    cosine, sine, cosine."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        return torch.cat((torch.sin(angles), torch.cos(angles)), dim=1)


class OwnExponentPerColumn(Right):
    """Every column has a frequency of its own. A sine and the cosine after it share one: both use 2j/d."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        step = 10000 ** (1 / num_hiddens)
        return torch.stack((torch.sin(angles), torch.cos(angles / step)), dim=-1).flatten(1)


class AlternatesByPosition(Right):
    """You choose sine or cosine by the position (the row). The column decides: even ones are sines."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        is_even = (torch.arange(len(angles)) % 2 == 0).unsqueeze(1)
        return torch.where(is_even, torch.sin(angles), torch.cos(angles)).repeat_interleave(2, dim=1)


class TransposedTable(Right):
    """The table is scrambled: it is built with positions along the wrong axis and then reshaped. Reshape does
    not exchange axes; rows of P are positions."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        right = super().table(angles, num_hiddens)
        return right.T.reshape(right.shape)


class AnglesAsTable(Right):
    """Your table holds the angles themselves: sine and cosine are missing."""

    def table(self, angles: Tensor, num_hiddens: int) -> Tensor:
        return angles.repeat_interleave(2, dim=1)


# --- adding it -------------------------------------------------------------------------------------


class ReturnsOnlyP(Right):
    """You return the encoding without `X`. The layer returns their sum."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return rows.expand_as(X)


class InputUnchanged(Right):
    """You return `X` without the encoding."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return X.clone()


class ScalesEmbeddings(Right):
    """You multiply `X` by sqrt(num_hiddens) before adding. The Transformer's encoder does that, not this
    layer."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return X * math.sqrt(X.shape[-1]) + rows


class MultipliesEncoding(Right):
    """You multiply `X` with the encoding. It is added."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return X * rows


class SubtractsEncoding(Right):
    """You subtract the encoding. It is added."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return X - rows


class AddsTwice(Right):
    """You add the encoding twice."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return X + 2 * rows


class FirstSampleOnly(Right):
    """You return the first sample only, as a batch of one. Keep the batch."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return X[0] + rows


class BatchAxisSlice(Right):
    """You cut P by the size of the batch. The steps of the sequence are axis 1 of `X`: `X.shape[1]`."""

    def rows(self, X: Tensor) -> Tensor:
        return self.P[:, : X.shape[0]]


class EncodesBatchIndex(Right):
    """You encode the place in the batch: all steps of a sample get the same row. Positions run along axis
    1."""

    def rows(self, X: Tensor) -> Tensor:
        return self.P.transpose(0, 1)[: X.shape[0]]


class FirstRowForAll(Right):
    """Every position gets the encoding of position 0. Cut as many rows from P as the sequence has steps,
    along axis 1."""

    def rows(self, X: Tensor) -> Tensor:
        return self.P[:, :1]


class LastRows(Right):
    """You add the last rows of P. A sequence starts at position 0, so it takes the first ones."""

    def rows(self, X: Tensor) -> Tensor:
        return self.P[:, -X.shape[1] :]


class RowsFromOne(Right):
    """You skip the first row of P: the first step gets the encoding of position 1."""

    def rows(self, X: Tensor) -> Tensor:
        return self.P[:, 1 : X.shape[1] + 1]


class WholeTable(Right):
    """You add the whole table, which fits a sequence of `max_len` steps only. Cut it to the length of `X`:
    axis 1 of both."""

    def rows(self, X: Tensor) -> Tensor:
        return self.P


class LengthDependentPositions(Right):
    """Your encoding of a position depends on the length of the sequence: positions are divided by it. They
    are the whole numbers 0, 1, 2, ..."""

    def rows(self, X: Tensor) -> Tensor:
        steps, num_hiddens = X.shape[1:]
        angles = self.angles(self.positions(steps) / steps, self.exponents(num_hiddens))
        return self.table(angles, num_hiddens).to(X)


class TableWithoutBatchAxis(Right):
    """`P` has the shape (max_len, num_hiddens). It needs a batch axis in front: (1, max_len, num_hiddens)."""

    def stored(self, table: Tensor) -> Tensor:
        return table[0]

    def rows(self, X: Tensor) -> Tensor:
        return self.P[: X.shape[1]]


class LearnedTable(Right):
    """Your table `P` is registered with the module and holds other numbers than the formula's sines and cosines
    (random ones, to be learned?). The sum is right; it is the table that has to be computed, once, and to stay
    as it is."""

    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000) -> None:
        super().__init__(num_hiddens, dropout, max_len)
        del self.P
        self.P = nn.Parameter(torch.zeros(1, max_len, num_hiddens))  # takes over the student's own numbers


class ArgumentsInOtherOrder(Right):
    """The constructor's arguments are in another order than the docstring gives: `num_hiddens`, `dropout`,
    `max_len=1000`. Callers may leave out the names, and then the rate becomes the length."""

    def __init__(self, num_hiddens: int, max_len: int = 1000, dropout: float = 0.0) -> None:
        torch.zeros((1, max_len, num_hiddens))  # as most tables begin
        super().__init__(num_hiddens, dropout, max_len)


class SqueezesEveryAxis(Right):
    """`squeeze()` removes every axis of size 1: a batch of one sample loses an axis. Keep the shape of `X`."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return super().add(X, rows).squeeze()


class TableOfExampleSize(Right):
    """The table has 60 rows, as many as the book's example has steps. It needs `max_len` rows."""

    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000) -> None:
        super().__init__(num_hiddens, dropout, 60)


class ColumnsOfExample(Right):
    """The table has 32 columns, or the rows that you add are 60, as in the book's example. Take the sizes from
    `num_hiddens` and from `X`."""

    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000) -> None:
        super().__init__(32, dropout, max_len)

    def rows(self, X: Tensor) -> Tensor:
        return self.P[:, :60]


class AllZeros(Right):
    """Everything you return is 0. Maybe a result tensor is created and never filled."""

    def add(self, X: Tensor, rows: Tensor) -> Tensor:
        return torch.zeros_like(X)


# --- seen by a check, not in the numbers: nothing to repeat, only words -----------------------------


def gradient_stops() -> None:
    """The numbers are right, but no gradient comes back to `X`: `.detach()`, `.data`, `torch.no_grad()` or
    NumPy cuts the graph, and the embedding below never learns."""


def dtype_changed() -> None:
    """The result has another dtype than `X`. Give back the dtype that came in: look for `.float()`, a
    `dtype=`, or a table of another dtype in the sum."""


def wrong_device() -> None:
    """Your code works on the CPU only: the table stays there, or the sum is moved there. Make `P` a buffer,
    or move the rows that you add with `.to(X.device)`."""


def inputs_changed() -> None:
    """You add in place (`X += ...`), which changes the caller's embeddings. Write `X = X + ...`."""


def returns_nothing() -> None:
    """`forward` returns nothing. Does every branch end with a `return`?"""


def returns_tuple() -> None:
    """You return several things. `forward` returns the sum alone."""


def seeds_in_forward() -> None:
    """You seed torch's generator in `forward`. Then every dropout mask is the same, and everybody else's
    random numbers are too. Leave the seed to the caller."""


def dropout_also_in_eval() -> None:
    """Dropout is active in evaluation mode, so two calls differ. `F.dropout` is on unless it gets
    `training=self.training`; `nn.Dropout` looks after it."""


def dropout_never_applied() -> None:
    """There is no dropout in training mode: the layer is made and never called. It goes around the sum."""


def dropout_rate_ignored() -> None:
    """The dropout rate is always the same, whatever the constructor is given. Hand its argument `dropout`
    on."""


def keeps_with_rate() -> None:
    """You take `dropout` for the probability to keep. `nn.Dropout` takes the probability to drop, as it
    is."""


def dropout_not_rescaled() -> None:
    """What survives dropout keeps its size. It has to grow by 1 / (1 - dropout), as `nn.Dropout` does it."""


def dropout_mask_kept() -> None:
    """Every call drops the same entries: the mask is drawn once and kept, or `forward` seeds the generator.
    Every call needs a new one."""


def dropout_twice() -> None:
    """Dropout is applied twice, so too much is dropped and the rest is scaled twice. Once, on the sum, is
    enough."""


def dropout_before_adding() -> None:
    """You drop entries of `X` and add the encoding afterwards. Dropout goes around the sum."""


def dropout_on_table_only() -> None:
    """You drop entries of the encoding alone. Dropout goes around the sum."""


def dropout_of_features() -> None:
    """You drop whole rows or columns. Every entry of the sum is dropped on its own: that is `nn.Dropout`."""


def table_renamed() -> None:
    """The table is missing, or has another name. It must be the attribute `P`."""


def table_is_trainable() -> None:
    """`P` is trained: it is a parameter, or random. It is a fixed table of sines and cosines."""


def table_needs_grad() -> None:
    """`P` collects gradients that nobody uses. It is a fixed table: no `requires_grad`."""


def arguments_renamed() -> None:
    """The constructor's arguments have other names: they are `num_hiddens`, `dropout` and `max_len`."""


def longer_default() -> None:
    """Without `max_len` the table has another length than 1000, which is the default in the docstring."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU (`.cuda()` or `device="cuda"`), which not every machine has. Create tensors
    where the inputs are: `device=...device`, or `.to(...)`."""


def no_super_init() -> None:
    """The first line of `__init__` must be `super().__init__()`: it is missing, or comes too late."""
