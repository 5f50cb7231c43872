# CHAFF | misconception: normalised_positions | TA: You divide the positions by `max_len`. They are the whole numbers 0, 1, 2, ... | detectable by: outputs
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout, max_len=1000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(0, max_len).unsqueeze(1).float() / max_len
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("P", pe.unsqueeze(0))

    def forward(self, x):
        x = x + self.P[:, :x.size(1)]
        return self.dropout(x)
