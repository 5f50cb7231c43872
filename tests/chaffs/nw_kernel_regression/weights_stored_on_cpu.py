# CHAFF | misconception: weights_stored_on_cpu | TA: `attention_weights` is moved to the CPU; keep it where it was made, and move it where you plot. | detectable by: device
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        weights = torch.softmax(exponent, dim=1)
        self.attention_weights = weights.detach().to("cpu")
        return (weights * values).sum(dim=1)
