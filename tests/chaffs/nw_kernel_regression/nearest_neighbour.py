# CHAFF | misconception: nearest_neighbour | TA: You return the value of the nearest key. In kernel regression all values take part. | detectable by: outputs, gradients
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = nn.functional.one_hot(exponent.argmax(1), keys.shape[1]).to(values) + 0 * self.w
        return (self.attention_weights * values).sum(dim=1)
