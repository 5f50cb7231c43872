# WHEAT | differs: `attention_weights` is a property that detaches in place what forward has kept
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
    def __init__(self, dropout, **kwargs):
        super().__init__(**kwargs)
        self.rate = dropout

    def forward(self, queries, keys, values, valid_lens=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        weights = masked_softmax(scores, valid_lens)
        self._kept = weights
        weights = nn.functional.dropout(weights, self.rate, self.training)
        return torch.bmm(weights, values)

    @property
    def attention_weights(self):
        return self._kept.detach_()
