# CHAFF | misconception: kernel_inside_softmax | TA: You take the exponential yourself and give it to softmax, which takes it again. Softmax wants the exponents. | detectable by: outputs, gradients
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        distance = queries.unsqueeze(1) - keys
        exponent = -((distance * self.w) ** 2) / 2
        self.attention_weights = torch.softmax(torch.exp(exponent), dim=1)
        return (self.attention_weights * values).sum(dim=1)
