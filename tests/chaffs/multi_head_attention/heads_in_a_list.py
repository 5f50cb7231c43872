# CHAFF | misconception: layers_not_registered | TA: The projections are kept in a plain list per head, so they are not registered. | detectable by: state
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, key_size, query_size, value_size, num_hiddens, num_heads, dropout, bias=False, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        size = num_hiddens // num_heads
        self.layers = [[nn.Linear(n, size, bias=bias) for n in (query_size, key_size, value_size)] for _ in range(num_heads)]
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)

    def split(self, X, which):
        return torch.stack([layers[which](X) for layers in self.layers], dim=1)

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = self.split(queries, 0), self.split(keys, 1), self.split(values, 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        if valid_lens is not None:
            lens = valid_lens.reshape(len(queries), 1, -1, 1)
            keep = torch.arange(keys.shape[1], device=keys.device) < lens
            scores = scores.masked_fill(~keep, -1e6)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        heads = weights @ v
        return self.W_o(heads.transpose(1, 2).flatten(2))
