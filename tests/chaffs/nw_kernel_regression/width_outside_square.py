# CHAFF | misconception: width_outside_square | TA: w stands outside the square. It multiplies the distance, and the product is squared: ((q - k) · w)². | detectable by: outputs, gradients
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -self.w * distance**2 / 2
        self.attention_weights = torch.softmax(exponent, dim=1)
        return (self.attention_weights * values).sum(dim=1)
