# CHAFF | misconception: subtracts_in_place | TA: `sub_` changes the caller's keys: the next epoch sees differences. Subtract out of place. | detectable by: mutation, gradients
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = keys.data.sub_(queries.data.unsqueeze(1))
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.softmax(exponent, dim=1)
        return (self.attention_weights * values).sum(dim=1)
