# CHAFF | misconception: scale_after_softmax | TA: You divide the weights, not the scores, by sqrt(d): they sum to 1 / sqrt(d). Scale before the softmax. | detectable by: outputs
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
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2))
        self.attention_weights = masked_softmax(scores, valid_lens) / math.sqrt(d)
        return torch.bmm(self.dropout(self.attention_weights), values)
