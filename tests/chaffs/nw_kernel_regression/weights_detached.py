# CHAFF | misconception: weights_detached | TA: The weights are detached before pooling: `w` receives no gradient. | detectable by: gradients
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.softmax(exponent, dim=1).detach()
        return (self.attention_weights * values).sum(dim=1)
