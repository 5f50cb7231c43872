# CHAFF | misconception: weights_not_stored | TA: The weights stay in a local variable; keep them as `self.attention_weights`. | detectable by: state
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
        return (weights * values).sum(dim=1)
