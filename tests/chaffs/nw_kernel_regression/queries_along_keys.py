# CHAFF | misconception: queries_along_keys | TA: Query j meets the keys of column j: `queries - keys` broadcasts along the last axis. Query i belongs to row i, so the queries need an axis of size 1 behind theirs. | detectable by: shape
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.softmax(exponent, dim=1)
        return (self.attention_weights * values).sum(dim=1)
