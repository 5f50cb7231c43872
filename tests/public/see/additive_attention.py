"""Picture of exercise 2: `attention_weights` as heatmaps; hatched cells must get none."""

import torch
from torch import nn

from grader.suite import share_weights
from grader.suite.pictures import heatmaps, row

QUERIES, KEYS, KEY_SIZE, QUERY_SIZE, HIDDENS = 4, 6, 2, 3, 5
LENGTHS = torch.tensor([[6, 2, 4, 1]])


def waves(*shape, speed):
    """Fixed numbers between -2 and 2 of this shape."""
    count = torch.Size(shape).numel()
    return 2 * torch.sin(speed * torch.arange(1.0, count + 1)).reshape(shape)


def fixed_layers():
    """The three layers with fixed weights."""
    sizes = {"W_k": (KEY_SIZE, HIDDENS), "W_q": (QUERY_SIZE, HIDDENS), "w_v": (HIDDENS, 1)}
    layers = nn.ModuleDict({name: nn.Linear(*size, bias=False) for name, size in sizes.items()})
    with torch.no_grad():
        for number, parameter in enumerate(layers.parameters(), 1):
            parameter.copy_(waves(*parameter.shape, speed=0.9 + number))
    return layers


def weights_of(answers, valid_lens):
    """`attention_weights` of one sample, shape (queries, keys)."""
    net = answers.AdditiveAttention(KEY_SIZE, QUERY_SIZE, HIDDENS, 0.0)
    inputs = (
        waves(1, QUERIES, QUERY_SIZE, speed=1.3),
        waves(1, KEYS, KEY_SIZE, speed=2.1),
        waves(1, KEYS, 2, speed=0.7),
    )
    share_weights(net, fixed_layers(), *inputs, valid_lens)
    net.eval()
    net(*inputs, valid_lens)
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
