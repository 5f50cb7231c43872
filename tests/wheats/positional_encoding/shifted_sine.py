# WHEAT | differs: cosine as a sine shifted by half of pi, P behind a property, frozen parameter inside
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        column = torch.arange(num_hiddens, dtype=torch.float64)
        position = torch.arange(max_len, dtype=torch.float64)[:, None]
        angle = position * torch.pow(10000.0, -(column - column % 2) / num_hiddens)
        table = torch.sin(angle + (column % 2) * math.pi / 2)
        self.table = nn.Parameter(table.to(torch.get_default_dtype())[None], requires_grad=False)
        self.dropout = nn.Dropout(dropout)

    @property
    def P(self):
        return self.table.data

    def forward(self, X):
        return self.dropout(torch.add(X, self.table[:, : X.shape[1]]))
