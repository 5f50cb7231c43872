# WHEAT | differs: two Python loops with math.sin and math.cos
import math
import torch
import torch.nn.functional as F
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        self.rate = dropout
        table = []
        for i in range(max_len):
            row = []
            for c in range(num_hiddens):
                angle = i / 10000 ** ((c - c % 2) / num_hiddens)
                row.append(math.cos(angle) if c % 2 else math.sin(angle))
            table.append(row)
        self.P = torch.tensor([table])

    def forward(self, X):
        steps = X.shape[1]
        return F.dropout(X + self.P[:, :steps].to(X), self.rate, self.training)
