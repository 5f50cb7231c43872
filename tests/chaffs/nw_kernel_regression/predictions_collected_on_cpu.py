# CHAFF | misconception: predictions_collected_on_cpu | TA: `torch.zeros` without `device=` lives on the CPU, so your output does too; use `values.new_zeros`. | detectable by: device
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
        out = torch.zeros(len(queries), dtype=values.dtype)
        for i in range(len(queries)):
            out[i] = self.attention_weights[i] @ values[i]
        return out
