# CHAFF | misconception: single_head | TA: num_heads is not used: this is one wide head. | detectable by: outputs
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
        return X.unsqueeze(1)

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = self.split(self.W_q(queries)), self.split(self.W_k(keys)), self.split(self.W_v(values))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        if valid_lens is not None:
            lens = valid_lens.reshape(len(queries), 1, -1, 1)
            keep = torch.arange(keys.shape[1], device=keys.device) < lens
            scores = scores.masked_fill(~keep, -1e6)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        heads = weights @ v
        return self.W_o(heads.transpose(1, 2).flatten(2))
