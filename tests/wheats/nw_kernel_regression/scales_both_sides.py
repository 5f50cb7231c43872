# WHEAT | differs: multiplies queries and keys by w, then subtracts; weights behind a property
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
        self._weights = None

    attention_weights = property(lambda self: self._weights)

    def forward(self, queries, keys, values):
        difference = (queries * self.w)[:, None] - keys * self.w
        self._weights = torch.softmax(-0.5 * difference**2, 1)
        return torch.matmul(self._weights.unsqueeze(1), values.unsqueeze(2)).flatten()
