# CHAFF | misconception: layers_renamed | TA: The layers must be called W_q, W_k, W_v and W_o. | detectable by: state
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, key_size, query_size, value_size, num_hiddens, num_heads, dropout, bias=False, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.query_layer = nn.Linear(query_size, num_hiddens, bias=bias)
        self.key_layer = nn.Linear(key_size, num_hiddens, bias=bias)
        self.value_layer = nn.Linear(value_size, num_hiddens, bias=bias)
        self.output_layer = nn.Linear(num_hiddens, num_hiddens, bias=bias)

    def split(self, X):
        return X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = self.split(self.query_layer(queries)), self.split(self.key_layer(keys)), self.split(self.value_layer(values))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        if valid_lens is not None:
            lens = valid_lens.reshape(len(queries), 1, -1, 1)
            keep = torch.arange(keys.shape[1], device=keys.device) < lens
            scores = scores.masked_fill(~keep, -1e6)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        heads = weights @ v
        return self.output_layer(heads.transpose(1, 2).flatten(2))
