"""Pictures of exercise 4: the book's regression, its fitted curve and its loss per epoch."""

import torch
from torch import nn

from grader.suite import share_weights
from grader.suite.pictures import compared_curves, curve, curves

TRAINED, EPOCHS, RATE = 50, 5, 0.02
FIRST_WIDTH = 1.0


def truth(x):
    """The function that the book's points are drawn around."""
    return 2 * torch.sin(x) + x**0.8


def training_points():
    """50 sorted inputs in [0, 5) and their outputs with noise, the same in every run."""
    generator = torch.Generator().manual_seed(4)
    x = torch.rand(TRAINED, generator=generator).mul(5).sort().values
    return x, truth(x) + 0.5 * torch.randn(TRAINED, generator=generator)


def without_own(x):
    """Row i holds all points but point i: shape (points, points - 1)."""
    others = ~torch.eye(TRAINED, dtype=torch.bool)
    return x.repeat(TRAINED, 1)[others].reshape(TRAINED, -1)


def train(answers):
    """The trained module, and the loss before each of its steps."""
    x, y = training_points()
    net = answers.NWKernelRegression()
    keys, values = without_own(x), without_own(y)
    share_weights(net, nn.ParameterDict({"w": nn.Parameter(torch.tensor([FIRST_WIDTH]))}), x, keys, values)
    losses = []
    for _ in range(EPOCHS):
        loss = ((net(x, keys, values) - y) ** 2).sum()
        (gradient,) = torch.autograd.grad(loss, [net.w])
        with torch.no_grad():
            net.w -= RATE * gradient  # what SGD does
        losses.append(float(loss.detach()))
    return net, torch.tensor(losses)


def fit(answers):
    """(predictions at the test inputs, losses)."""
    net, losses = train(answers)
    x, y = training_points()
    at = inputs_between()
    predictions = net(at, x.repeat(len(at), 1), y.repeat(len(at), 1))
    return predictions, losses


def inputs_between():
    return torch.arange(0, 5, 0.1)


def look(student, reference=None):
    """The fitted curve with the truth and the training points, and the loss per epoch."""
    x, y = training_points()
    at, epochs = inputs_between(), torch.arange(1.0, EPOCHS + 1)
    own, own_losses = fit(student)
    expected, losses = (None, None) if reference is None else fit(reference)
    fitted = [
        curve("training points", x, y, "given"),
        curve("truth", at, truth(at), "truth"),
        *compared_curves("your prediction", at, own, expected),
    ]
    return [
        curves(
            "The fitted curve",
            "50 noisy training points, the true function and the prediction after 5 epochs, x from 0 to 5.",
            fitted, xlabel="x", ylabel="y",
        ),
        curves(
            "The loss per epoch",
            "Sum of squared errors over the training points in each of 5 epochs.",
            compared_curves("your loss", epochs, own_losses, losses),
            xlabel="epoch", ylabel="loss", counts=True,
        ),
    ]  # fmt: skip
