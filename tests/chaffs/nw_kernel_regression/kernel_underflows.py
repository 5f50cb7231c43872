# CHAFF | misconception: kernel_underflows | TA: Far from every key all exponentials become 0, and 0 divided by 0 is NaN. `torch.softmax` subtracts the largest exponent first and has no such trouble. | detectable by: outputs
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        kernel = torch.exp(exponent)
        self.attention_weights = kernel / kernel.sum(dim=1, keepdim=True)
        return (self.attention_weights * values).sum(dim=1)
