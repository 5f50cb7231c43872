"""Pictures of exercise 1: the weights of a small batch as heatmaps; hatched cells must get none."""

import torch

from grader.suite.pictures import heatmaps, row

BATCH, QUERIES, KEYS = 2, 3, 6
# What the rows are called, the lengths, and the sample of the batch that is shown.
CASES = (
    ("every key is valid", None, 0),
    ("lengths 2 and 4, sample 1", torch.tensor([2, 4]), 0),
    ("lengths 2 and 4, sample 2", torch.tensor([2, 4]), 1),
    ("a length per query: 1, 3, 5", torch.tensor([[1, 3, 5], [6, 4, 2]]), 0),
)


def scores():
    """Fixed scores between -2 and 2, no two of a row alike."""
    return 2 * torch.sin(1.7 * torch.arange(float(BATCH * QUERIES * KEYS))).reshape(BATCH, QUERIES, KEYS)


def hatched(valid_lens, sample):
    """The cells of one sample beyond its valid keys, or None."""
    if valid_lens is None:
        return None
    lengths = valid_lens[sample].reshape(-1, 1).expand(QUERIES, 1)
    return torch.arange(KEYS) >= lengths


def look(student, reference=None):
    """The weights for three kinds of lengths."""
    rows = []
    for label, valid_lens, sample in CASES:
        own = student.masked_softmax(scores(), None if valid_lens is None else valid_lens.clone())
        expected = None if reference is None else reference.masked_softmax(scores(), valid_lens)[sample]
        rows.append(row(label, own[sample], expected, hatched(valid_lens, sample)))
    alt = "Attention weights of 3 queries and 6 keys for four kinds of valid lengths, a row of heatmaps each."
    return [heatmaps("Weights after the masked softmax", alt, rows)]
