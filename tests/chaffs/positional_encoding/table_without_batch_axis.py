# CHAFF | misconception: table_without_batch_axis | TA: `P` has the shape (max_len, num_hiddens). It needs a batch axis in front: (1, max_len, num_hiddens). | detectable by: state
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
        self.register_buffer("P", pe)

    def forward(self, x):
        x = x + self.P[:x.size(1)]
        return self.dropout(x)
