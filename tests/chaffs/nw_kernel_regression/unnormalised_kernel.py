# CHAFF | misconception: unnormalised_kernel | TA: You do not divide by the sum of the kernel values, so the weights do not sum to 1. Softmax does both steps. | detectable by: outputs, gradients
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.exp(exponent)
        return (self.attention_weights * values).sum(dim=1)
