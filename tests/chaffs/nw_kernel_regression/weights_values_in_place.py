# CHAFF | misconception: weights_values_in_place | TA: `values *= ...` changes the caller's values: the next epoch sees weighted ones. Multiply out of place. | detectable by: mutation
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.softmax(exponent, dim=1)
        values *= self.attention_weights
        return values.sum(dim=1)
