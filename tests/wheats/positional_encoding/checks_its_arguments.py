# WHEAT | differs: raises for an odd width and for a sequence that is too long; looks itself up in sys.modules
import sys

import torch
from torch import nn


def angles(length, width):
    pairs = torch.arange(width // 2)
    return torch.arange(length)[:, None] / 10000 ** (2 * pairs / width)


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout=0.0, max_len=1000):
        super().__init__()
        if num_hiddens % 2:
            raise ValueError("num_hiddens must be even")
        a = sys.modules[__name__].angles(max_len, num_hiddens)
        P = torch.zeros(1, max_len, num_hiddens)
        for j in range(num_hiddens // 2):
            P[0, :, 2 * j] = torch.sin(a[:, j])
            P[0, :, 2 * j + 1] = torch.cos(a[:, j])
        self.register_buffer("P", P)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X):
        if X.shape[1] > self.P.shape[1]:
            raise ValueError("sequence too long")
        return self.dropout(X + self.P[:, : X.shape[1]])
