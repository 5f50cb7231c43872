# CHAFF | misconception: pooling_mask_inverted | TA: `scaled_dot_product_attention` reads a boolean mask as True = may attend. Yours says True = padding, so the output pools the padding (`attention_weights` is right). | detectable by: outputs
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
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_lens)
        mask = None
        if valid_lens is not None:
            lens = valid_lens.reshape(len(keys), -1, 1)
            mask = (torch.arange(keys.shape[1], device=keys.device) >= lens).expand_as(scores)
        rate = self.dropout.p if self.training else 0.0
        return nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, dropout_p=rate)
