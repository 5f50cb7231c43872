# CHAFF | misconception: counts_on_cpu | TA: The counts are made on the CPU. | detectable by: device
import torch
from torch import nn


class MovingAverage(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, X):
        parts = [X[:, max(0, i + 1 - self.window) : i + 1].sum(dim=1) for i in range(X.shape[1])]
        return torch.stack(parts, dim=1) / torch.arange(1, X.shape[1] + 1).clamp(max=self.window)
