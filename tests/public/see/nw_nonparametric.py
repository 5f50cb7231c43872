"""Pictures of kernel regression without parameters: both predictions, and the weights of the better one."""

import torch

from grader.suite.pictures import compared_curves, curve, curves, heatmaps, row

TRAINED = 24


def truth(x):
    """The function that the text's points are drawn around."""
    return 2 * torch.sin(x) + x**0.8


def training_points():
    """Sorted inputs in [0, 5) and their targets with noise, the same in every run."""
    generator = torch.Generator().manual_seed(7)
    x = torch.rand(TRAINED, generator=generator).mul(5).sort().values
    return x, truth(x) + 0.5 * torch.randn(TRAINED, generator=generator)


def predict(answers, at):
    """(average, Gaussian predictions, weights) at the test inputs."""
    x, y = training_points()
    average = answers.average_pooling(y, len(at))
    predictions, weights = answers.gaussian_pooling(at.clone(), x, y)
    return average, predictions, weights


def look(student, reference=None):
    """Average and Gaussian pooling beside the truth, and the Gaussian weights as a heatmap."""
    at = torch.arange(0, 5, 0.2)
    own = predict(student, at)
    expected = (None, None, None) if reference is None else predict(reference, at)
    lines = [
        curve("training points", *training_points(), "given"),
        curve("truth", at, truth(at), "truth"),
        *compared_curves("average pooling", at, own[0], expected[0], group="average"),
        *compared_curves("Gaussian pooling", at, own[1], expected[1], group="Gaussian"),
    ]
    alt = "Noisy training points, the true function, a flat average and a smooth prediction, x from 0 to 5."
    weights = row("Gaussian weights", own[2], expected[2])
    return [
        curves("Two predictions", alt, lines, xlabel="x", ylabel="y"),
        heatmaps(
            "The weights",
            f"Weights of {len(at)} test inputs over {TRAINED} training inputs, both sorted: a soft diagonal.",
            [weights], xlabel="Sorted training inputs", ylabel="Sorted test inputs",
        ),
    ]  # fmt: skip
