"""Pictures of exercise 5: columns 6 to 9 of the table over the positions, and the table itself."""

import torch

from grader.suite.pictures import compared_curves, curves, heatmaps, row

HIDDENS, POSITIONS = 32, 60
SHOWN = range(6, 10)


def table_of(answers):
    """What is added to zeros, shape (positions, hiddens)."""
    return answers.PositionalEncoding(HIDDENS, 0.0).eval()(torch.zeros(1, POSITIONS, HIDDENS))[0]


def look(student, reference=None):
    """Columns 6 to 9 as curves, and the table as a heatmap."""
    own = table_of(student)
    expected = None if reference is None else table_of(reference)
    positions = torch.arange(float(POSITIONS))
    lines = [
        part
        for column in SHOWN
        for part in compared_curves(
            f"column {column}",
            positions,
            own[:, column],
            None if expected is None else expected[:, column],
            group=f"column {column}",
        )
    ]
    columns = curves(
        "Columns 6 to 9",
        "Four columns of the positional encoding over 60 positions: two sines and two cosines.",
        lines, xlabel="Row (position)", ylabel="",
    )  # fmt: skip
    table = heatmaps(
        "The table",
        "The positional encoding of 60 positions (rows) in 32 columns: further right it turns more slowly.",
        [row("what is added to zeros", own, expected, digits=2)],
        xlabel="Column (encoding dimension)", ylabel="Row (position)",
    )  # fmt: skip
    return [columns, table]
