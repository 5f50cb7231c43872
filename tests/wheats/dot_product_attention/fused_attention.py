# WHEAT | differs: scaled_dot_product_attention for the output, explicit weights for the attribute
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
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, queries, keys, values, valid_lens=None):
        allowed = None
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        if valid_lens is not None:
            lens = valid_lens.reshape(len(queries), -1, 1)
            allowed = (torch.arange(keys.shape[1], device=keys.device) < lens).expand_as(scores)
        self.attention_weights = masked_softmax(scores, valid_lens).detach()
        return nn.functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=allowed, dropout_p=self.p if self.training else 0.0
        )
