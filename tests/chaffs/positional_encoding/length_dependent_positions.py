# CHAFF | misconception: length_dependent_positions | TA: Your encoding of a position depends on the length of the sequence: positions are divided by it. They are the whole numbers 0, 1, 2, ... | detectable by: outputs
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.rates = 10000 ** (torch.arange(0, num_hiddens, 2) / num_hiddens)
        self.P = self.table(torch.arange(max_len).float())

    def table(self, positions):
        angles = positions[:, None] / self.rates.to(positions)
        return torch.stack((angles.sin(), angles.cos()), -1).flatten(1).unsqueeze(0)

    def forward(self, X):
        n = X.shape[1]
        return self.dropout(X + self.table(torch.arange(n, device=X.device, dtype=X.dtype) / n))
