# WHEAT | differs: a float64 NumPy table, cast to the dtype and device of X
import numpy as np
import torch
from torch import nn


def sinusoids(length, width):
    angle = np.arange(length)[:, None] / 10000.0 ** (2 * (np.arange(width)[None, :] // 2) / width)
    return np.where(np.arange(width) % 2 == 0, np.sin(angle), np.cos(angle))


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.register_buffer("P", torch.from_numpy(sinusoids(max_len, num_hiddens))[None], persistent=False)

    def forward(self, X):
        return self.drop(X + self.P[:, : X.shape[1]].to(device=X.device, dtype=X.dtype))
