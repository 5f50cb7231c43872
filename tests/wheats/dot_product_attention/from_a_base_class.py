# WHEAT | differs: an abstract base class pools, the subclass scores
import math

import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    keep = torch.arange(X.shape[-1], device=X.device) < lens
    return torch.softmax(X.masked_fill(~keep, -1e6), dim=-1)


class Pooling(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def score(self, queries, keys):
        raise NotImplementedError

    def forward(self, queries, keys, values, valid_lens=None):
        self.attention_weights = masked_softmax(self.score(queries, keys), valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)


class DotProductAttention(Pooling):
    def score(self, queries, keys):
        root = torch.sqrt(torch.tensor(queries.shape[-1], dtype=queries.dtype, device=queries.device))
        return (queries.unsqueeze(2) * keys.unsqueeze(1)).sum(-1) / root
