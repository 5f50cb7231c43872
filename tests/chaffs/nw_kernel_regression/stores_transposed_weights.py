# CHAFF | misconception: stores_transposed_weights | TA: `attention_weights` is transposed: (keys, queries) instead of (queries, keys). | detectable by: state
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        weights = torch.softmax(exponent, dim=1)
        self.attention_weights = weights.t()
        return (weights * values).sum(dim=1)
