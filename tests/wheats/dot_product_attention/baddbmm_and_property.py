# WHEAT | differs: torch.baddbmm with alpha for the scores, weights behind a property
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
        self.attn_drop = nn.Dropout(dropout)
        self.__weights = None

    @property
    def attention_weights(self):
        return self.__weights

    def forward(self, queries, keys, values, valid_lens=None):
        b, q, d = queries.shape
        zero = queries.new_zeros(b, q, keys.shape[1])
        scores = torch.baddbmm(zero, queries, keys.transpose(1, 2), beta=0, alpha=1 / math.sqrt(d))
        self.__weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.attn_drop(self.__weights), values)
