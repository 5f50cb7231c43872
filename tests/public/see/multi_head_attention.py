"""Picture of multi-head attention: the weights of two heads as heatmaps; hatched cells must get none."""

import torch
from torch import nn

from grader.suite import share_weights
from grader.suite.pictures import heatmaps, row

QUERIES, KEYS, SIZE, HEADS = 4, 6, 8, 2
LENGTHS = torch.tensor([[6, 2, 4, 1]])


def waves(*shape, speed):
    """Fixed numbers between -1.5 and 1.5 of this shape."""
    count = torch.Size(shape).numel()
    return 1.5 * torch.sin(speed * torch.arange(1.0, count + 1)).reshape(shape)


def telling_layers():
    """Every head passes the values on as they are, so that a result shows what weights they got."""
    hiddens = HEADS * KEYS
    sizes = {"W_q": SIZE + 1, "W_k": SIZE, "W_v": KEYS, "W_o": hiddens}
    layers = nn.ModuleDict({name: nn.Linear(size, hiddens, bias=False) for name, size in sizes.items()})
    with torch.no_grad():
        layers["W_q"].weight.copy_(waves(hiddens, SIZE + 1, speed=1.7) / 3)
        layers["W_k"].weight.copy_(waves(hiddens, SIZE, speed=0.9) / 3)
        layers["W_v"].weight.copy_(torch.eye(KEYS).repeat(HEADS, 1))
        layers["W_o"].weight.copy_(torch.eye(hiddens))
    return layers


def weights_of(answers):
    """The weights of one sample, shape (heads, queries, keys)."""
    net = answers.MultiHeadAttention(SIZE, SIZE + 1, KEYS, HEADS * KEYS, HEADS, 0.0).eval()
    queries, keys = waves(1, QUERIES, SIZE + 1, speed=1.3), waves(1, KEYS, SIZE, speed=2.1)
    inputs = (queries, keys, torch.eye(KEYS).unsqueeze(0), LENGTHS.clone())
    share_weights(net, telling_layers(), *inputs)
    return net(*inputs).detach()[0].unflatten(-1, (HEADS, KEYS)).transpose(0, 1)


def look(student, reference=None):
    """A heatmap per head: different weights from the same queries and keys, the same lengths."""
    own = weights_of(student)
    expected = [None] * HEADS if reference is None else list(weights_of(reference))
    masked = torch.arange(KEYS) >= LENGTHS[0].unsqueeze(1)
    rows = [row(f"head {i}", own[i], expected[i], masked) for i in range(HEADS)]
    alt = f"Attention weights of {QUERIES} queries and {KEYS} keys, a row for each of {HEADS} heads."
    return [heatmaps("Weights of the heads", alt, rows)]
