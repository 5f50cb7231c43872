"""Visible checks of the extension exercise `nw_training`: three points that fit on a sheet of paper."""

import pytest
import torch
from torch import nn

from grader.suite import fail, parts_of, require

TOLERANCES = {torch.float32: 1e-4}


class ScaledMean(nn.Module):
    """No kernel at all: w times the average of the values, whatever the keys are."""

    def __init__(self, w):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([float(w)]))

    def forward(self, queries, keys, values):
        return self.w * values.mean(dim=1)


def example():
    """Inputs and targets; the averages of the others' targets are 4, 3.5 and 1.5."""
    return torch.tensor([0.0, 1.0, 2.0]), torch.tensor([1.0, 2.0, 6.0])


@pytest.mark.points(1.5)
@pytest.mark.hint("Row i of both results lacks training point i, and only that.")
def test_example_of_leave_one_out(student, assert_close):
    """Leave one out: three points, each without itself."""
    keys, values = parts_of(student.leave_one_out(*example()), "the keys", "the values")
    assert_close(keys, torch.tensor([[1.0, 2.0], [0.0, 2.0], [0.0, 1.0]]), name="the keys")
    assert_close(values, torch.tensor([[2.0, 6.0], [1.0, 6.0], [1.0, 2.0]]), name="the values")


@pytest.mark.points(2)
@pytest.mark.hint("Sum of squares, its gradient, w - lr · gradient: work the first epoch out on paper.")
def test_example_of_two_epochs(student, assert_close):
    """Train: two epochs of a net that multiplies the average of the others by w."""
    net = student.lend(ScaledMean)(1)
    # w = 1: the errors 3, 1.5 and -4.5 have squares that add up to 31.5; the gradient of that is
    # 2 · (3 · 4 + 1.5 · 3.5 - 4.5 · 1.5) = 21, so w becomes 0.79, and so on.
    losses = student.train(net, *example(), lr=0.01, num_epochs=2)
    if not isinstance(losses, (list, tuple)) or len(losses) != 2:
        fail("`train` does not return a list with the loss of every epoch.", reason="type")
    require(
        all(isinstance(loss, (int, float)) for loss in losses),
        "The losses are no plain numbers.",
        reason="type",
        hint="`float(loss)` or `loss.item()` gives the number in a tensor.",
    )
    assert_close(torch.tensor(losses), torch.tensor([31.5, 28.4351]), name="the list of losses")
    assert_close(net.w.detach(), torch.tensor([0.7081]), name="`w` after two epochs")


@pytest.mark.points(1.5)
@pytest.mark.hint("All training points are keys of every test input: as many rows as there are test inputs.")
def test_example_of_predict(student, assert_close):
    """Predict: all training points for each of four test inputs."""
    net = student.lend(ScaledMean)(2)
    result = student.predict(net, torch.tensor([0.5, 1.0, 1.5, 9.0]), *example())
    assert_close(result, torch.full((4,), 6.0), name="the predictions")
