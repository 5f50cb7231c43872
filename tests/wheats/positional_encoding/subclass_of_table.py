# WHEAT | differs: a base class adds any table, the subclass builds the sinusoid; table made by a cached static method
from functools import lru_cache

import torch
from torch import Tensor, nn


class AddsTable(nn.Module):
    P: Tensor

    def __init__(self, table: Tensor, dropout: float):
        super().__init__()
        self.register_buffer("P", table.unsqueeze(0), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X: Tensor) -> Tensor:
        batch, steps, _ = X.shape
        return self.dropout(X + self.P[:, :steps].expand(batch, -1, -1))


class PositionalEncoding(AddsTable):
    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000):
        super().__init__(self.sinusoid(max_len, num_hiddens).clone(), dropout)

    @staticmethod
    @lru_cache(maxsize=None)
    def sinusoid(length: int, width: int) -> Tensor:
        angles = torch.arange(length).reshape(-1, 1) / torch.pow(10000.0, torch.arange(0, width, 2) / width)
        table = torch.empty(length, width)
        table[:, ::2], table[:, 1::2] = angles.sin(), angles.cos()
        return table
