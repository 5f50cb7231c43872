# CHAFF | misconception: dropout_mask_kept | TA: The dropout mask is drawn once and kept; draw a new one in every call. | detectable by: train_eval, determinism
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
        self.rate, self.mask = dropout, None

    def forward(self, queries, keys, values, valid_lens=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        weights = masked_softmax(scores, valid_lens)
        self.attention_weights = weights
        if self.training and self.rate > 0:
            if self.mask is None or self.mask.shape != weights.shape:
                self.mask = (torch.rand_like(weights) >= self.rate) / (1 - self.rate)
            weights = weights * self.mask
        return torch.bmm(weights, values)
