# CHAFF | misconception: ones_on_cpu | TA: `torch.ones` without `device=` lives on the CPU; broadcasting needs no ones at all. | detectable by: device
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) * torch.ones(1, keys.shape[1], dtype=keys.dtype) - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.softmax(exponent, dim=1)
        return (self.attention_weights * values).sum(dim=1)
