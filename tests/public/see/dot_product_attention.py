"""Picture of exercise 3: `attention_weights` as heatmaps; hatched cells must get none."""

import torch

from grader.suite.pictures import heatmaps, row

QUERIES, KEYS, SIZE = 4, 6, 8
LENGTHS = torch.tensor([[6, 2, 4, 1]])


def waves(*shape, speed):
    """Fixed numbers between -1.5 and 1.5 of this shape."""
    count = torch.Size(shape).numel()
    return 1.5 * torch.sin(speed * torch.arange(1.0, count + 1)).reshape(shape)


def weights_of(answers, valid_lens):
    """`attention_weights` of one sample, shape (queries, keys)."""
    net = answers.DotProductAttention(0.0).eval()
    queries, keys = waves(1, QUERIES, SIZE, speed=1.3), waves(1, KEYS, SIZE, speed=2.1)
    net(queries, keys, waves(1, KEYS, 2, speed=0.7), valid_lens)
    return net.attention_weights[0]


def look(student, reference=None):
    """The weights without lengths, and with a length per query."""
    rows = []
    for label, valid_lens in (("every key is valid", None), ("lengths 6, 2, 4, 1", LENGTHS)):
        own = weights_of(student, None if valid_lens is None else valid_lens.clone())
        expected = None if reference is None else weights_of(reference, valid_lens)
        masked = None if valid_lens is None else torch.arange(KEYS) >= valid_lens[0].unsqueeze(1)
        rows.append(row(label, own, expected, masked))
    alt = "Attention weights of 4 queries and 6 keys, without and with valid lengths, a row of heatmaps each."
    return [heatmaps("attention_weights", alt, rows)]
