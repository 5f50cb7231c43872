# WHEAT | differs: a Python loop over the batch
import math

import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    keep = torch.arange(X.shape[-1], device=X.device) < lens
    return torch.softmax(X.masked_fill(~keep, -1e6), dim=-1)


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        root = math.sqrt(queries.size(-1))
        weights, outputs = [], []
        for b, (q, k, v) in enumerate(zip(queries, keys, values)):
            lens = None if valid_lens is None else valid_lens[b : b + 1]
            w = masked_softmax((q @ k.T / root)[None], lens)
            weights.append(w[0])
            outputs.append(self.dropout(w)[0] @ v)
        self.attention_weights = torch.stack(weights)
        return torch.stack(outputs)
