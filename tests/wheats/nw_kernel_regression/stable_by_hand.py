# WHEAT | differs: subtracts the row's maximum by hand, divides by the sum; buffer for the weights
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([0.9]))
        self.register_buffer("attention_weights", torch.empty(0), persistent=False)

    def forward(self, queries, keys, values):
        logits = -((queries.repeat(keys.shape[1], 1).T - keys) * self.w) ** 2 / 2
        kernel = torch.exp(logits - logits.max(dim=1, keepdim=True).values)
        weights = kernel / kernel.sum(dim=1, keepdim=True)
        self.attention_weights = weights.detach()
        return torch.diagonal(weights @ values.T)
