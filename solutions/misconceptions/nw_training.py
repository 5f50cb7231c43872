"""Known mistakes in the extension exercise `nw_training`. Staff only: the grader names the one that produces
a student's numbers.

Each public class is one mistake. Calling it as `Mistake(x_train, y_train)` gives what the mistaken
`leave_one_out` would return, as `Mistake(net, x_train, y_train, lr, num_epochs)` what `train` would (and
trains `net`), as `Mistake(net, x_test, x_train, y_train)` what `predict` would. It overrides only the steps
of `Right` in which the student went wrong, so two mistakes that override different steps combine. The
docstring is what a student reads. The first of several classes that fit is the simplest explanation, so the
order in here matters.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class Right:
    """The three functions, in steps."""

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        """A call, not an object; which function is meant, the arguments say."""
        self = object.__new__(cls)
        self.steps: list[Tensor] = []
        if not isinstance(arguments[0], nn.Module):
            return self.leave_one_out(*arguments)
        if len(arguments) == 4 and isinstance(arguments[3], Tensor):
            return self.predict(*arguments)
        return self.train(*arguments, **named)

    def leave_one_out(self, x_train: Tensor, y_train: Tensor) -> Any:
        return self.without_own(x_train), self.values_without_own(y_train)

    def without_own(self, points: Tensor) -> Tensor:
        n = len(points)
        return points.repeat(n, 1)[~torch.eye(n, dtype=torch.bool)].reshape(n, n - 1)

    def values_without_own(self, points: Tensor) -> Tensor:
        return self.without_own(points)

    def pairs(self, x_train: Tensor, y_train: Tensor) -> Any:
        """What a training point is predicted from."""
        return self.leave_one_out(x_train, y_train)

    def train(
        self,
        net: nn.Module,
        x_train: Tensor,
        y_train: Tensor,
        lr: float | None = None,
        num_epochs: int | None = None,
    ) -> Any:
        keys, values = self.pairs(x_train, y_train)
        losses = []
        for _ in range(self.epochs(num_epochs)):
            loss = self.loss(net(x_train, keys, values), y_train)
            reported = self.reported(loss, y_train)
            gradients = torch.autograd.grad(loss, list(net.parameters()), allow_unused=True)
            with torch.no_grad():
                self.step(net, self.changes(gradients), self.rate(lr))
                losses.append(self.after_step(reported, net, x_train, y_train, keys, values))
        return losses

    def epochs(self, num_epochs: int | None) -> int:
        return 5 if num_epochs is None else num_epochs

    def rate(self, lr: float | None) -> float:
        return 0.5 if lr is None else lr

    def loss(self, predictions: Tensor, targets: Tensor) -> Tensor:
        return ((predictions - targets) ** 2).sum()

    def reported(self, loss: Tensor, targets: Tensor) -> float:
        return loss.item()

    def changes(self, gradients: Any) -> list[Tensor]:
        """By what the parameters are moved, before the learning rate."""
        return list(gradients)

    def step(self, net: nn.Module, changes: list[Tensor], rate: float) -> None:
        for parameter, change in zip(net.parameters(), changes, strict=True):
            parameter -= rate * change

    def after_step(
        self, reported: float, net: nn.Module, x: Tensor, y: Tensor, keys: Tensor, values: Tensor
    ) -> float:
        return reported

    def predict(self, net: nn.Module, x_test: Tensor, x_train: Tensor, y_train: Tensor) -> Any:
        rows = self.rows(x_test, x_train)
        return self.shaped(net(x_test, x_train.repeat(rows, 1), y_train.repeat(rows, 1)).detach())

    def rows(self, x_test: Tensor, x_train: Tensor) -> int:
        return len(x_test)

    def shaped(self, predictions: Tensor) -> Tensor:
        return predictions


# --- leave one out ---------------------------------------------------------------------------------


class KeepsOwnPoint(Right):
    """Every row holds all points, also its own: nothing is left out. A point that sees its own target learns
    nothing; row i has n - 1 entries."""

    def without_own(self, points: Tensor) -> Tensor:
        return points.repeat(len(points), 1)


class KeepsOnlyOwnPoint(Right):
    """Your mask is inverted: every row holds its own point alone. Keep what is *not* on the diagonal."""

    def without_own(self, points: Tensor) -> Tensor:
        return points[:, None]


class DropsFirstColumn(Right):
    """You drop the first training point from every row. Row i must lose point i."""

    def without_own(self, points: Tensor) -> Tensor:
        return points.repeat(len(points), 1)[:, 1:]


class DropsLastColumn(Right):
    """You drop the last training point from every row. Row i must lose point i."""

    def without_own(self, points: Tensor) -> Tensor:
        return points.repeat(len(points), 1)[:, :-1]


class ValuesDropFirstColumn(Right):
    """The keys are right, but you drop the first point from all rows of the values. Keys and values must
    lose the same point."""

    def values_without_own(self, points: Tensor) -> Tensor:
        return points.repeat(len(points), 1)[:, 1:]


class KeysDropFirstColumn(Right):
    """The values are right, but you drop the first point from all rows of the keys. Keys and values must
    lose the same point."""

    def leave_one_out(self, x_train: Tensor, y_train: Tensor) -> Any:
        keys, values = super().leave_one_out(x_train, y_train)
        return x_train.repeat(len(x_train), 1)[:, 1:], values


class ReshapedToOtherRows(Right):
    """You reshape to n - 1 rows of n entries, which mixes the rows. There are n rows of n - 1 entries."""

    def without_own(self, points: Tensor) -> Tensor:
        right = super().without_own(points)
        return right.reshape(-1, len(points)) if right.dim() == 2 else right


class TransposedPairs(Right):
    """Rows and columns are swapped: what belongs to point i stands in column i. It is row i."""

    def leave_one_out(self, x_train: Tensor, y_train: Tensor) -> Any:
        return tuple(part.t() for part in super().leave_one_out(x_train, y_train))


class FlatPairs(Right):
    """You return all rows in one long line. Boolean indexing flattens: reshape to (n, n - 1) behind it."""

    def leave_one_out(self, x_train: Tensor, y_train: Tensor) -> Any:
        return tuple(part.reshape(-1) for part in super().leave_one_out(x_train, y_train))


class OthersInRolledOrder(Right):
    """Each row begins behind its own point and wraps around. Keep the order of the training points."""

    def without_own(self, points: Tensor) -> Tensor:
        return torch.stack([points.roll(-i)[1:] for i in range(len(points))])


class OwnPointRepeated(Right):
    """Row i holds nothing but point i: you repeat every point along its row. Row i needs all points but that
    one. Compare what `repeat` and `repeat_interleave` do."""

    def without_own(self, points: Tensor) -> Tensor:
        return points[:, None].repeat(1, len(points) - 1)


class ValuesFirst(Right):
    """You return the values first. Keys (from x_train) come first, then values (from y_train)."""

    def leave_one_out(self, x_train: Tensor, y_train: Tensor) -> Any:
        keys, values = super().leave_one_out(x_train, y_train)
        return values, keys

    def pairs(self, x_train: Tensor, y_train: Tensor) -> Any:
        return super().leave_one_out(x_train, y_train)


class KeysAsValues(Right):
    """Your values are made of x_train, like the keys. Values are targets: make them of y_train."""

    def leave_one_out(self, x_train: Tensor, y_train: Tensor) -> Any:
        keys, _ = super().leave_one_out(x_train, y_train)
        return keys, keys


# --- training --------------------------------------------------------------------------------------


class TrainsWithOwnPoint(Right):
    """`train` predicts every point from all of them, itself included, so each can look its own target up.
    Use the keys and values of `leave_one_out`."""

    symbol = "train"

    def pairs(self, x_train: Tensor, y_train: Tensor) -> Any:
        return x_train.repeat(len(x_train), 1), y_train.repeat(len(y_train), 1)


class MeanLoss(Right):
    """You average the squared errors, so the steps are n times too small. The text adds them up."""

    symbol = "train"

    def loss(self, predictions: Tensor, targets: Tensor) -> Tensor:
        return ((predictions - targets) ** 2).mean()


class HalfLoss(Right):
    """You halve the squared errors. The loss is their sum, without a factor."""

    symbol = "train"

    def loss(self, predictions: Tensor, targets: Tensor) -> Tensor:
        return ((predictions - targets) ** 2).sum() / 2


class AbsoluteLoss(Right):
    """You add up absolute errors. The loss is the sum of the squared ones."""

    symbol = "train"

    def loss(self, predictions: Tensor, targets: Tensor) -> Tensor:
        return (predictions - targets).abs().sum()


class RootOfLoss(Right):
    """You take the root of the summed squared errors. The loss is the sum itself."""

    symbol = "train"

    def loss(self, predictions: Tensor, targets: Tensor) -> Tensor:
        return ((predictions - targets) ** 2).sum().sqrt()


class LossOfAllPairs(Right):
    """A column meets a row in the loss: every prediction is compared with every target. Both have shape
    (n,); leave the extra axis away."""

    symbol = "train"

    def loss(self, predictions: Tensor, targets: Tensor) -> Tensor:
        return ((predictions[:, None] - targets) ** 2).sum()


class RateIgnored(Right):
    """You always use the learning rate 0.5. Use the argument `lr`."""

    symbol = "train"

    def rate(self, lr: float | None) -> float:
        return 0.5


class OtherDefaultRate(Right):
    """Without `lr` you use 0.1. Its default is 0.5."""

    symbol = "train"

    def rate(self, lr: float | None) -> float:
        return 0.1 if lr is None else lr


class RateDoubled(Right):
    """Your steps are twice as long as lr times the gradient. The factor 2 of the squares' derivative is in
    the gradient already."""

    symbol = "train"

    def rate(self, lr: float | None) -> float:
        return 2 * super().rate(lr)


class RateDividedByPoints(Right):
    """Your losses are sums, but your steps are those of a mean: n times too small. The loss that you
    differentiate is the sum."""

    symbol = "train"

    def changes(self, gradients: Any) -> list[Tensor]:
        return [gradient / self.count for gradient in gradients]

    def pairs(self, x_train: Tensor, y_train: Tensor) -> Any:
        self.count = len(x_train)
        return super().pairs(x_train, y_train)


class EpochsIgnored(Right):
    """You always train for 5 epochs. Use the argument `num_epochs`."""

    symbol = "train"

    def epochs(self, num_epochs: int | None) -> int:
        return 5


class OtherDefaultEpochs(Right):
    """Without `num_epochs` you train for 10 epochs. Its default is 5."""

    symbol = "train"

    def epochs(self, num_epochs: int | None) -> int:
        return 10 if num_epochs is None else num_epochs


class OneEpochTooFew(Right):
    """You train one epoch less than `num_epochs`. `range(1, n)` has n - 1 entries."""

    symbol = "train"

    def epochs(self, num_epochs: int | None) -> int:
        return super().epochs(num_epochs) - 1


class OneEpochTooMany(Right):
    """You train one epoch more than `num_epochs`."""

    symbol = "train"

    def epochs(self, num_epochs: int | None) -> int:
        return super().epochs(num_epochs) + 1


class GradientsAddUp(Right):
    """You never clear the gradients, so every step repeats all earlier ones. Call `zero_grad()` in every
    epoch."""

    symbol = "train"

    def changes(self, gradients: Any) -> list[Tensor]:
        before = self.steps or [torch.zeros_like(gradient) for gradient in gradients]
        self.steps = [old + new for old, new in zip(before, gradients, strict=True)]
        return self.steps


class Momentum(Right):
    """You use momentum (0.9). This is plain SGD: every step is -lr times the gradient of its epoch alone."""

    symbol = "train"

    def changes(self, gradients: Any) -> list[Tensor]:
        before = self.steps or [torch.zeros_like(gradient) for gradient in gradients]
        self.steps = [0.9 * old + new for old, new in zip(before, gradients, strict=True)]
        return self.steps


class AdamForSgd(Right):
    """You use Adam, whose steps have about the size lr, whatever the gradient is. Use `torch.optim.SGD`."""

    symbol = "train"

    def train(self, *arguments: Any, **named: Any) -> Any:
        self.first, self.second, self.count = [], [], 0
        return super().train(*arguments, **named)

    def changes(self, gradients: Any) -> list[Tensor]:
        self.count += 1
        first = self.first or [torch.zeros_like(gradient) for gradient in gradients]
        second = self.second or [torch.zeros_like(gradient) for gradient in gradients]
        self.first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients, strict=True)]
        self.second = [0.999 * v + 0.001 * g**2 for v, g in zip(second, gradients, strict=True)]
        return [
            (m / (1 - 0.9**self.count)) / ((v / (1 - 0.999**self.count)).sqrt() + 1e-8)
            for m, v in zip(self.first, self.second, strict=True)
        ]


class NeverSteps(Right):
    """The net does not change: every epoch has the same loss. Where is the step, and does it reach the
    parameters themselves? `p = p - ...` only gives a name to a new tensor; `p -= ...` under `no_grad`
    writes."""

    symbol = "train"

    def step(self, net: nn.Module, changes: list[Tensor], rate: float) -> None:
        return None


class WalksUphill(Right):
    """You add the gradient: the loss grows. A step is -lr times the gradient."""

    symbol = "train"

    def rate(self, lr: float | None) -> float:
        return -super().rate(lr)


class ReportsMean(Right):
    """You train on the sum but report the mean. Report the sum."""

    symbol = "train"

    def reported(self, loss: Tensor, targets: Tensor) -> float:
        return loss.item() / len(targets)


class ReportsLossAfterStep(Right):
    """You report the loss after the step of an epoch. Report the one before it, of which you took the
    gradient."""

    symbol = "train"

    def after_step(
        self, reported: float, net: nn.Module, x: Tensor, y: Tensor, keys: Tensor, values: Tensor
    ) -> float:
        return self.reported(self.loss(net(x, keys, values), y), y)


class ReportsRunningTotal(Right):
    """Your losses add up from epoch to epoch. Each is the loss of its own epoch."""

    symbol = "train"

    def train(self, *arguments: Any, **named: Any) -> Any:
        return torch.tensor(super().train(*arguments, **named)).cumsum(0).tolist()


# --- predictions -----------------------------------------------------------------------------------


class RowsPerTrainingPoint(Right):
    """`predict` repeats keys and values once per training point. They need one row per *test* input; the two
    numbers are equal in the text's example only."""

    symbol = "predict"

    def rows(self, x_test: Tensor, x_train: Tensor) -> int:
        return len(x_train)


class PredictionsAsColumn(Right):
    """Your predictions have an axis too many: (n_test, 1). The text adds it for its plot; return shape
    (n_test,)."""

    symbol = "predict"

    def shaped(self, predictions: Tensor) -> Tensor:
        return predictions.unsqueeze(1)


class PredictsFromInputs(Right):
    """`predict` gives x_train as keys and as values. Values are targets: y_train."""

    symbol = "predict"

    def predict(self, net: nn.Module, x_test: Tensor, x_train: Tensor, y_train: Tensor) -> Any:
        return super().predict(net, x_test, x_train, x_train)


class KeysAndValuesSwappedInPredict(Right):
    """`predict` gives keys and values in the wrong order. It is `net(queries, keys, values)`, keys from
    x_train, values from y_train."""

    symbol = "predict"

    def predict(self, net: nn.Module, x_test: Tensor, x_train: Tensor, y_train: Tensor) -> Any:
        return super().predict(net, x_test, y_train, x_train)


class PredictsWithoutFirstPoint(Right):
    """`predict` leaves the first training point out. Leaving out is for training; a test input is compared
    with all training points."""

    symbol = "predict"

    def predict(self, net: nn.Module, x_test: Tensor, x_train: Tensor, y_train: Tensor) -> Any:
        return super().predict(net, x_test, x_train[1:], y_train[1:])


# --- seen by a check, not in numbers ---------------------------------------------------------------


def net_not_trained() -> None:
    """The net that was passed in has not changed. Train it itself, not a copy and not a new one: the caller
    uses it afterwards."""


def returns_one_part() -> None:
    """`leave_one_out` returns one tensor. It has to return two: keys and values."""


def one_loss_for_all() -> None:
    """`train` returns a single value. Return a list with the loss of every epoch."""


def losses_are_tensors() -> None:
    """The losses are tensors, each with its whole graph behind it. `float(loss)` or `loss.item()` gives the
    number alone."""


def only_the_parameter_w() -> None:
    """You ask the net for an attribute that it need not have, such as `w`. `net.parameters()` gives all
    parameters, whatever their names."""


def defaults_missing() -> None:
    """`lr` and `num_epochs` have no defaults: a call without them fails. Write `lr=0.5, num_epochs=5` in the
    signature."""


def no_graph_to_train() -> None:
    """There is nothing to differentiate: between the net and the loss you leave the graph. Look for
    `.detach()`, `.data`, `.item()` and `torch.no_grad()`."""


def predictions_with_graph() -> None:
    """The predictions are part of a graph, which nobody needs and which keeps memory. Use `torch.no_grad()`
    or `.detach()` in `predict`."""


def dtype_changed() -> None:
    """The dtype of the data is lost. Look for `.float()`, NumPy, and for tensors that are created without
    `dtype=x_train.dtype`."""


def wrong_device() -> None:
    """Something is created on or moved to the CPU. Create tensors with `device=x_train.device`, and leave
    `.cpu()` and NumPy out."""


def needs_a_gpu() -> None:
    """Your code asks for a GPU by name. Not every machine has one; create tensors with
    `device=x_train.device`."""


def inputs_changed() -> None:
    """You write into the data, which belong to the caller. Look for `x += ...` and the like, and for methods
    that end in `_`."""


def returns_nothing() -> None:
    """A function returns nothing. Did the `return` get lost?"""


def returns_tuple() -> None:
    """`predict` returns several things. Return the predictions alone."""
