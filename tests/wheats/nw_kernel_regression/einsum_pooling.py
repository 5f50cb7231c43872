# WHEAT | differs: einsum for the pooling, weights detached for the attribute, a negative start of w
import torch
import torch.nn as nn
import torch.nn.functional as F


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.full((1,), -0.7))

    def forward(self, queries, keys, values):
        u = self.w * (keys - queries.view(-1, 1))
        weights = F.softmax(-0.5 * u.pow(2), dim=-1)
        self.attention_weights = weights.detach()
        return torch.einsum("nm,nm->n", weights, values)
