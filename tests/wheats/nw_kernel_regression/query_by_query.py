# WHEAT | differs: a Python loop over the queries
import torch
from torch import nn


def gaussian(u):
    return -(u * u) / 2


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(1) + 3)

    def forward(self, queries, keys, values):
        rows, predictions = [], []
        for q, k, v in zip(queries, keys, values):
            a = torch.softmax(gaussian((q - k) * self.w), dim=0)
            rows.append(a)
            predictions.append(torch.dot(a, v))
        self.attention_weights = torch.stack(rows)
        return torch.stack(predictions)
