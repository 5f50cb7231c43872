"""Hidden checks of the extension exercise `nw_training`.

The nets are lent by this suite: kernels of other shapes than exercise 4's, so they give no answer away.
"""

import pytest
import torch
from torch import nn

from grader.suite import check_form, check_untouched, fail, parts_of, require

# Steps of SGD carry rounding along: right code is off by 2e-6 of the loss.
TOLERANCES = {torch.float32: 5e-5, torch.float64: 1e-9}
LR = 0.004

POINTS, N_TEST = 12, 7


class HeavyTails(nn.Module):
    """w times an average whose weights fall like 1 / (1 + distance²).

    The best w is near 1: from the numbers below, every step is a large one, whatever the seed.
    """

    def __init__(self, w):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([float(w)]))

    def forward(self, queries, keys, values):
        heights = 1 / (1 + (queries[:, None] - keys) ** 2)
        return self.w * (heights * values).sum(dim=1) / heights.sum(dim=1)


class Shifted(nn.Module):
    """Two parameters, of other names."""

    def __init__(self, steepness, shift):
        super().__init__()
        self.steepness = nn.Parameter(torch.tensor(float(steepness)))
        self.shift = nn.Parameter(torch.tensor([float(shift)]))

    def forward(self, queries, keys, values):
        heights = 1 / (1 + ((queries[:, None] - keys) * self.steepness) ** 2)
        return (heights * values).sum(dim=1) / heights.sum(dim=1) + self.shift


def draw(tensors, *, points=POINTS, dtype=torch.float32):
    """Inputs in [0, 5), in no order, and targets around a curve, as in the text."""
    x = tensors.uniform(points, high=5)
    y = 2 * torch.sin(x) + x**0.8 + tensors.randn(points, scale=0.5)
    return x.to(dtype), y.to(dtype)


def nets(student, cls, *arguments):
    """A net in the worker, and the same one here, which the reference trains in float64."""
    return student.lend(cls)(*arguments), cls(*arguments).double()


def both(result):
    """The keys and the values that leave_one_out returns."""
    return parts_of(result, "the keys", "the values")


def as_numbers(losses, epochs):
    """The losses as a tensor. Whether they are plain numbers is asked by one check only."""
    if not isinstance(losses, (tuple, list)):
        name = "returns_nothing" if losses is None else "one_loss_for_all"
        found = f"`train` returns a `{type(losses).__name__}`; expected a list of losses."
        fail(found, reason="type", misconception=name)
    if len(losses) != epochs:
        # Where all else is right, the number of epochs is wrong; a mistake says so.
        fail(f"`train` returns {len(losses)} losses; expected {epochs}, one per epoch.", reason="shape")
    numbers = [
        loss.item() if isinstance(loss, torch.Tensor) and loss.numel() == 1 else loss for loss in losses
    ]
    require(
        all(type(number) in (int, float) for number in numbers),
        "`train` returns something else than numbers.",
        reason="type",
    )
    return torch.tensor(numbers, dtype=torch.float32)


def check_losses(assert_close, losses, expected, name="the list of losses"):
    numbers = as_numbers(losses, len(expected))
    assert_close(
        numbers, torch.tensor(expected, dtype=torch.float64), like=torch.zeros(0), name=name, device="cpu"
    )


def check_moved(assert_close, net, ours, before):
    """Every parameter is where the reference has moved it."""
    for (name, parameter), wanted in zip(net.named_parameters(), ours.parameters(), strict=True):
        require(
            not torch.equal(parameter.detach(), before[name]),
            f"After training, `{name}` of the net that was passed in is what it was.",
            reason="state",
            misconception="net_not_trained",
        )
        like = torch.zeros(0, dtype=before[name].dtype)
        assert_close(
            parameter.detach(), wanted.detach(), like=like, name=f"`{name}` after training", device="cpu"
        )


def state_of(net):
    return {name: parameter.detach().clone() for name, parameter in net.named_parameters()}


@pytest.mark.points(2.5)
@pytest.mark.hint("Row i holds all training points but point i, in their order; keys and values alike.")
def test_leave_one_out(student, reference, tensors, assert_close):
    """Leave one out: keys and values, for several numbers of points."""
    for points in (POINTS, 7, 2):
        x, y = draw(tensors, points=points)
        result, expected = both(student.leave_one_out(x, y)), reference.leave_one_out(x, y)
        for name, part, wanted in zip(("keys", "values"), result, expected, strict=True):
            assert_close(part, wanted, like=x, name=f"the {name} for {points} points")


@pytest.mark.points(2.5)
@pytest.mark.hint("The sum of the squared errors, of every point predicted from the others, before the step.")
@pytest.mark.misconception("no_graph_to_train", r"RuntimeError: .*does not require grad")
def test_losses(student, reference, tensors, assert_close):
    """Train: the loss of every epoch."""
    for w in (2.0, 0.3):
        x, y = draw(tensors)
        net, ours = nets(student, HeavyTails, w)
        expected = reference.train(ours, x, y, LR, 3)
        check_losses(assert_close, student.train(net, x, y, LR, 3), expected)


@pytest.mark.points(2)
@pytest.mark.hint("The net that is passed in changes: w - lr · gradient in every epoch, with a new gradient.")
@pytest.mark.misconception("no_graph_to_train", r"RuntimeError: .*does not require grad")
def test_trained_parameter(student, reference, tensors, assert_close):
    """Train: the parameter of the net that was passed in, after several epochs and after one."""
    for epochs in (3, 1):
        x, y = draw(tensors)
        net, ours = nets(student, HeavyTails, 2.0)
        before = state_of(net)
        losses = student.train(net, x, y, LR, epochs)
        check_losses(assert_close, losses, reference.train(ours, x, y, LR, epochs))
        check_moved(assert_close, net, ours, before)


@pytest.mark.points(1)
@pytest.mark.hint("`lr=0.5, num_epochs=5` in the signature.")
@pytest.mark.misconception("defaults_missing", r"TypeError: .*missing \d required positional argument")
def test_defaults(student, reference, tensors, assert_close):
    """Train: without lr and num_epochs, 0.5 and 5 are used."""
    x, y = draw(tensors)
    y = y / 16  # with larger targets, steps of 0.5 jump about
    net, ours = nets(student, HeavyTails, 2.0)
    before = state_of(net)
    check_losses(assert_close, student.train(net, x, y), reference.train(ours, x, y))
    check_moved(assert_close, net, ours, before)


@pytest.mark.points(1)
@pytest.mark.hint("Use the arguments `lr` and `num_epochs`, not the numbers of the text.")
def test_other_settings(student, reference, tensors, assert_close):
    """Train: another learning rate and number of epochs, also by name."""
    for lr, epochs in ((0.006, 2), (0.001, 7)):
        x, y = draw(tensors)
        net, ours = nets(student, HeavyTails, 0.3)
        before = state_of(net)
        losses = student.train(net, x, y, lr=lr, num_epochs=epochs)
        check_losses(assert_close, losses, reference.train(ours, x, y, lr, epochs))
        check_moved(assert_close, net, ours, before)


@pytest.mark.points(1)
@pytest.mark.hint("`net.parameters()` gives all of them, whatever their names.")
@pytest.mark.misconception("only_the_parameter_w", r"AttributeError: .*no attribute 'w'")
def test_every_parameter(student, reference, tensors, assert_close):
    """Train: a net with two parameters of other names."""
    x, y = draw(tensors)
    net, ours = nets(student, Shifted, 0.9, 1.0)
    before = state_of(net)
    check_losses(assert_close, student.train(net, x, y, LR, 2), reference.train(ours, x, y, LR, 2))
    check_moved(assert_close, net, ours, before)


@pytest.mark.points(0.5)
@pytest.mark.hint("Start from where the net is; no gradient of an earlier call may be left in it.")
def test_goes_on(student, reference, tensors, assert_close):
    """Train: a second call goes on where the first one ended."""
    x, y = draw(tensors)
    net, ours = nets(student, HeavyTails, 2.0)
    for words in ("first", "second"):
        losses, expected = student.train(net, x, y, LR, 2), reference.train(ours, x, y, LR, 2)
        check_losses(assert_close, losses, expected, name=f"the list of losses of the {words} call")


@pytest.mark.points(0.5)
@pytest.mark.hint("`float(loss)` or `loss.item()`: a tensor in the list would keep its whole graph alive.")
def test_plain_numbers(student, reference, tensors, assert_close):
    """Train: the losses are plain numbers."""
    x, y = draw(tensors)
    net, ours = nets(student, HeavyTails, 2.0)
    losses = student.train(net, x, y, LR, 2)
    check_losses(assert_close, losses, reference.train(ours, x, y, LR, 2))
    require(
        all(type(loss) in (int, float) for loss in losses),
        "The losses are tensors; expected plain numbers.",
        reason="type",
        misconception="losses_are_tensors",
    )


@pytest.mark.points(2)
@pytest.mark.hint("Every test input is compared with all training points: one row per test input.")
def test_predictions(student, reference, tensors, assert_close):
    """Predict: fewer and more test inputs than training points, and a single one."""
    x, y = draw(tensors)
    net, ours = nets(student, HeavyTails, 1.7)
    for n_test in (N_TEST, 20, 1, POINTS):
        x_test = tensors.uniform(n_test, high=5)
        result, expected = student.predict(net, x_test, x, y), reference.predict(ours, x_test, x, y)
        assert_close(result, expected, like=x, name=f"the predictions for {n_test} test inputs")


@pytest.mark.points(0.5)
@pytest.mark.hint("`torch.no_grad()` around the call, or `.detach()` behind it.")
def test_predictions_without_graph(student, reference, tensors, assert_close):
    """Predict: the result is part of no graph, and the net stays as it is."""
    x, y = draw(tensors)
    x_test = tensors.uniform(N_TEST, high=5)
    net, ours = nets(student, HeavyTails, 1.7)
    before = state_of(net)
    result, expected = student.predict(net, x_test, x, y), reference.predict(ours, x_test, x, y)
    assert_close(result, expected, like=x, name="the predictions")
    require(
        not result.requires_grad,
        "The predictions are part of a graph.",
        reason="gradient",
        misconception="predictions_with_graph",
    )
    require(
        all(torch.equal(parameter, before[name]) for name, parameter in net.named_parameters()),
        "`predict` changes the net.",
        reason="state",
    )


@pytest.mark.points(0.5)
@pytest.mark.hint("No `.float()` and no NumPy on the way: float64 in, float64 out.")
def test_float64(student, reference, tensors, assert_close):
    """float64 points and a float64 net give float64 results."""
    x, y = draw(tensors, dtype=torch.float64)
    for part, wanted in zip(both(student.leave_one_out(x, y)), reference.leave_one_out(x, y), strict=True):
        assert_close(part, wanted, like=x, name="the float64 result of `leave_one_out`")
    net, ours = nets(student, HeavyTails, 2.0)
    net.double()
    before = state_of(net)
    check_losses(assert_close, student.train(net, x, y, LR, 2), reference.train(ours, x, y, LR, 2))
    check_moved(assert_close, net, ours, before)
    x_test = tensors.uniform(N_TEST, high=5, dtype=torch.float64)
    result, expected = student.predict(net, x_test, x, y), reference.predict(ours, x_test, x, y)
    assert_close(result, expected, like=x, name="the float64 predictions")


@pytest.mark.points(0.5)
@pytest.mark.hint("The caller uses the data again: do not write into it.")
def test_leaves_its_inputs_alone(student, reference, tensors, assert_close):
    """No call changes x_train, y_train or x_test."""
    x, y = draw(tensors)
    x_test = tensors.uniform(N_TEST, high=5)
    net, ours = nets(student, HeavyTails, 2.0)
    keys, _ = both(student.leave_one_out(x, y))
    check_untouched(student, x_train=x, y_train=y)
    check_form(keys, (POINTS, POINTS - 1), torch.float32, name="the tensor of keys")
    losses = student.train(net, x, y, LR, 2)
    check_untouched(student, net=None, x_train=x, y_train=y)
    check_losses(assert_close, losses, reference.train(ours, x, y, LR, 2))
    result = student.predict(net, x_test, x, y)
    check_untouched(student, net=None, x_test=x_test, x_train=x, y_train=y)
    assert_close(result, reference.predict(ours, x_test, x, y), like=x)


@pytest.mark.points(0.5)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=x_train.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are, also on a GPU."""
    x, y = draw(tensors)
    for part, wanted in zip(both(student.leave_one_out(x, y)), reference.leave_one_out(x, y), strict=True):
        assert_close(part, wanted, like=x, name="the result of `leave_one_out`")
    net, ours = nets(student, HeavyTails, 2.0)
    before = state_of(net)
    check_losses(assert_close, student.train(net, x, y, LR, 2), reference.train(ours, x, y, LR, 2))
    check_moved(assert_close, net, ours, before)
    x_test = tensors.uniform(N_TEST, high=5)
    result, expected = student.predict(net, x_test, x, y), reference.predict(ours, x_test, x, y)
    assert_close(result, expected, like=x, name="the predictions")
