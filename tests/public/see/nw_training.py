"""Pictures of training: the loss of every epoch, and the predictions before and after."""

import torch
from torch import nn

from grader.suite.pictures import compared_curves, curve, curves

TRAINED, EPOCHS, RATE, FIRST_WIDTH = 50, 8, 0.02, 0.7


class HeavyTails(nn.Module):
    """A net to be trained: weights that fall like 1 / (1 + (distance · w)²)."""

    def __init__(self, w):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([float(w)]))

    def forward(self, queries, keys, values):
        heights = 1 / (1 + ((queries[:, None] - keys) * self.w) ** 2)
        return (heights * values).sum(dim=1) / heights.sum(dim=1)


def truth(x):
    """The function that the text's points are drawn around."""
    return 2 * torch.sin(x) + x**0.8


def training_points():
    """Sorted inputs in [0, 5) and their targets with noise, the same in every run."""
    generator = torch.Generator().manual_seed(4)
    x = torch.rand(TRAINED, generator=generator).mul(5).sort().values
    return x, truth(x) + 0.5 * torch.randn(TRAINED, generator=generator)


def fit(answers, make_net, at):
    """(losses, predictions before training, predictions after it)."""
    x, y = training_points()
    net = make_net(FIRST_WIDTH)
    before = answers.predict(net, at.clone(), x.clone(), y.clone())
    losses = answers.train(net, x.clone(), y.clone(), RATE, EPOCHS)
    return torch.tensor(losses), before, answers.predict(net, at.clone(), x, y)


def look(student, reference=None):
    """The loss per epoch, and what training makes of the predictions."""
    at, epochs = torch.arange(0, 5, 0.1), torch.arange(1.0, EPOCHS + 1)
    # In a notebook the student's functions are here, and so is the net.
    lend = getattr(student, "lend", lambda cls: cls)
    own = fit(student, lend(HeavyTails), at)
    expected = (None,) * 3
    if reference is not None:
        expected = fit(reference, lambda width: HeavyTails(width).double(), at)
    lines = [
        curve("training points", *training_points(), "given"),
        curve("truth", at, truth(at), "truth"),
        *compared_curves("before training", at, own[1], expected[1], group="before"),
        *compared_curves("after training", at, own[2], expected[2], group="after"),
    ]
    return [
        curves(
            "The loss per epoch",
            f"Sum of squared errors over the training points in each of {EPOCHS} epochs.",
            compared_curves("your loss", epochs, own[0], expected[0]),
            xlabel="epoch", ylabel="loss", counts=True,
        ),
        curves(
            "The predictions",
            "Noisy training points, the true function and the predictions before and after training.",
            lines, xlabel="x", ylabel="y",
        ),
    ]  # fmt: skip
