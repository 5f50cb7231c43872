"""The picture of exercise 2: a series and its average."""

import torch

from grader.suite.pictures import compared_curves, curve, curves

STEPS = torch.arange(12.0)
SERIES = torch.tensor([2.0, 4, 8, 3, 1, 0, 5, 9, 6, 6, 2, 4])


def average(answers):
    return answers.MovingAverage(3)(SERIES[None])[0]


def look(student, reference=None):
    """The series, and its average over three steps."""
    expected = None if reference is None else average(reference)
    lines = [
        curve("the series", STEPS, SERIES, "given"),
        *compared_curves("your average", STEPS, average(student), expected),
    ]
    alt = "A jagged series of 12 steps and its average over three steps."
    return [curves("Average over three steps", alt, lines, xlabel="step", ylabel="value")]
