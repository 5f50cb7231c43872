# CHAFF | misconception: lengths_tiled | TA: With heads folded into the batch the lengths are tiled; they have to be repeated one by one. | detectable by: outputs
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, key_size, query_size, value_size, num_hiddens, num_heads, dropout, bias=False, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=bias)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=bias)
        self.W_v = nn.Linear(value_size, num_hiddens, bias=bias)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)

    def split(self, X):
        return X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = self.split(self.W_q(queries)), self.split(self.W_k(keys)), self.split(self.W_v(values))
        b, h = len(queries), self.num_heads
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        if valid_lens is not None:
            lens = valid_lens.reshape(b, -1, 1).repeat(h, 1, 1)
            keep = torch.arange(keys.shape[1], device=keys.device) < lens
            scores = scores.reshape(b * h, *scores.shape[2:]).masked_fill(~keep, -1e6).reshape(scores.shape)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        heads = weights @ v
        return self.W_o(heads.transpose(1, 2).flatten(2))
