# CHAFF | misconception: relu_for_tanh | TA: ReLU instead of tanh. | detectable by: outputs
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
        energy = torch.relu(self.attn(torch.cat((q, k), dim=-1)))
        scores = energy.sum(dim=-1)
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights, V), weights


def scaled_dot_attn(Q, K, V):
    dots = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
    shares = torch.softmax(dots, dim=-1)
    return torch.bmm(shares, V), shares
