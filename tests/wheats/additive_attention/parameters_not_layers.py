# WHEAT | differs: W_k, W_q, w_v are small modules around an nn.Parameter
import math

import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    keep = torch.arange(X.shape[-1], device=X.device) < lens
    return torch.softmax(X.masked_fill(~keep, -1e6), dim=-1)


class Projection(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        bound = 1 / math.sqrt(n_in)
        self.weight = nn.Parameter(torch.empty(n_out, n_in).uniform_(-bound, bound))

    def forward(self, x):
        return x @ self.weight.mT


class AdditiveAttention(nn.Module):
    def __init__(self, key_size, query_size, num_hiddens, dropout):
        super().__init__()
        self.W_k = Projection(key_size, num_hiddens)
        self.W_q = Projection(query_size, num_hiddens)
        self.w_v = Projection(num_hiddens, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        hidden = torch.tanh(self.W_q(queries).unsqueeze(-2) + self.W_k(keys).unsqueeze(-3))
        self.attention_weights = masked_softmax(self.w_v(hidden).flatten(2), valid_lens)
        return self.dropout(self.attention_weights) @ values
