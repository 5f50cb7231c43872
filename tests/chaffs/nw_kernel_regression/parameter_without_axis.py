# CHAFF | misconception: parameter_without_axis | TA: `w` has the shape (); it must have the shape (1,). | detectable by: state
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(0.5))

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.softmax(exponent, dim=1)
        return (self.attention_weights * values).sum(dim=1)
