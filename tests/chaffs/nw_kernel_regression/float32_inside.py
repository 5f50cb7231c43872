# CHAFF | misconception: float32_inside | TA: float64 inputs come back as float32: keep the dtype. | detectable by: dtype
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        queries, keys, values = queries.float(), keys.float(), values.float()
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w.float()) ** 2) / 2
        self.attention_weights = torch.softmax(exponent, dim=1)
        return (self.attention_weights * values).sum(dim=1)
