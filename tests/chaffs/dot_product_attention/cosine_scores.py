# CHAFF | misconception: cosine_scores | TA: You divide query and key by their lengths (cosine similarity). Here the score is q · k / sqrt(d). | detectable by: outputs
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
        scores = nn.functional.normalize(queries, dim=-1) @ nn.functional.normalize(keys, dim=-1).mT
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)
