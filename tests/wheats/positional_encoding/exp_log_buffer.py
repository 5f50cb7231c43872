# WHEAT | differs: exp of the logarithm, P as a persistent buffer that moves with the module
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, num_hiddens, 2) * (-math.log(10000.0) / num_hiddens))
        pe = torch.zeros(1, max_len, num_hiddens)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("P", pe)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return self.dropout(X + self.P[:, : X.size(1)])
