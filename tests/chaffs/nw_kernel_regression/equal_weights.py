# CHAFF | misconception: equal_weights | TA: You return the plain average of the values (average pooling). The weights have to depend on the distances. | detectable by: outputs, gradients
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.ones_like(exponent) / keys.shape[1] + 0 * exponent
        return (self.attention_weights * values).sum(dim=1)
