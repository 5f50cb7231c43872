# CHAFF | misconception: wrong_device | TA: The scale is a vector on the CPU. | detectable by: device
import math

import torch
from torch import nn


class TanhSumAttn(nn.Module):
    def __init__(self, query_size, key_size, hidden_size):
        super().__init__()
        self.attn = nn.Linear(query_size + key_size, hidden_size)

    def forward(self, Q, K, V):
        n, m = Q.shape[1], K.shape[1]
        q = Q.unsqueeze(2).repeat(1, 1, m, 1)
        k = K.unsqueeze(1).repeat(1, n, 1, 1)
        energy = torch.tanh(self.attn(torch.cat((q, k), dim=-1)))
        scores = energy.sum(dim=-1)
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights, V), weights


def scaled_dot_attn(Q, K, V):
    roots = torch.full((K.shape[1],), math.sqrt(Q.shape[-1]), dtype=Q.dtype)
    dots = torch.bmm(Q, K.transpose(1, 2)) / roots
    shares = torch.softmax(dots, dim=-1)
    return torch.bmm(shares, V), shares
