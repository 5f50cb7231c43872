# CHAFF | misconception: table_built_in_forward | TA: The table is built anew in every call, on the CPU; use `P`, where X is. | detectable by: device
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1)
        exponent = torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens
        angle = position / torch.pow(10000, exponent)
        self.P = torch.zeros((1, max_len, num_hiddens))
        self.P[:, :, 0::2] = torch.sin(angle)
        self.P[:, :, 1::2] = torch.cos(angle)

    def forward(self, X):
        n, d = X.shape[1:]
        angle = torch.arange(n).reshape(-1, 1) / 10000 ** (torch.arange(0, d, 2) / d)
        X = X + torch.stack((angle.sin(), angle.cos()), dim=-1).reshape(1, n, d)
        return self.dropout(X)
