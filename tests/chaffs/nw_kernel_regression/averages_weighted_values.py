# CHAFF | misconception: averages_weighted_values | TA: Your output is too small by the number of keys: a mean where a sum is meant. The weights sum to 1 already. | detectable by: outputs, gradients
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
        return (self.attention_weights * values).mean(dim=1)
