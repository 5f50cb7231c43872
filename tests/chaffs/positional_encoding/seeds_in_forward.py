# CHAFF | misconception: seeds_in_forward | TA: `torch.manual_seed` in `forward` makes every dropout mask the same; never seed in there. | detectable by: determinism
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout, max_len=1000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(0, max_len).unsqueeze(1).float()
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("P", pe.unsqueeze(0))

    def forward(self, x):
        torch.manual_seed(7)
        x = x + self.P[:, :x.size(1)]
        return self.dropout(x)
