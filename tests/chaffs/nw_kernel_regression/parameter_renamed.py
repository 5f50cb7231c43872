# CHAFF | misconception: parameter_renamed | TA: The parameter must be called `w`. | detectable by: state
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.width) ** 2) / 2
        self.attention_weights = torch.softmax(exponent, dim=1)
        return (self.attention_weights * values).sum(dim=1)
