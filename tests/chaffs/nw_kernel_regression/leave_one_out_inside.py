# CHAFF | misconception: leave_one_out_inside | TA: You leave out key i for query i inside `forward`. That is done once, by whoever builds the training keys; `forward` uses every key that it is given. | detectable by: outputs
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        n, m = keys.shape
        exponent = exponent.masked_fill(torch.eye(n, m, device=keys.device).bool(), -1e9)
        self.attention_weights = torch.softmax(exponent, dim=1)
        return (self.attention_weights * values).sum(dim=1)
