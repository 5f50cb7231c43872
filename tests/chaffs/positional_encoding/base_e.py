# CHAFF | misconception: base_e | TA: Your base is e, the 10000 is missing: the frequency is 10000^(-2j/d), or exp(-2j/d · log(10000)). | detectable by: outputs
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout, max_len=1000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(0, max_len).unsqueeze(1).float()
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-1.0 / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("P", pe.unsqueeze(0))

    def forward(self, x):
        x = x + self.P[:, :x.size(1)]
        return self.dropout(x)
