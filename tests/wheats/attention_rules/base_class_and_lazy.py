# WHEAT | differs: a base class pools; nn.LazyLinear; a named tuple; the function wraps a module
from collections import namedtuple

import torch
from torch import nn

Attended = namedtuple("Attended", "output attn_weights")


class Rule(nn.Module):
    def score(self, Q, K):
        raise NotImplementedError

    def forward(self, Q, K, V):
        weights = nn.functional.softmax(self.score(Q, K), dim=-1)
        return Attended(weights.matmul(V), weights)


class TanhSumAttn(Rule):
    def __init__(self, query_size, key_size, hidden_size):
        super().__init__()
        self.attn = nn.LazyLinear(hidden_size)

    def score(self, Q, K):
        q = Q.unsqueeze(2).expand(-1, -1, K.shape[1], -1)
        k = K.unsqueeze(1).expand(-1, Q.shape[1], -1, -1)
        return torch.tanh(self.attn(torch.concat((q, k), dim=3))).sum(3)


class Dot(Rule):
    def score(self, Q, K):
        return (Q.unsqueeze(2) * K.unsqueeze(1)).sum(-1) / Q.shape[-1] ** 0.5


def scaled_dot_attn(queries, keys, values):
    return Dot()(queries, keys, values)
