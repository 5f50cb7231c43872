# CHAFF | misconception: divides_by_window | TA: Early steps average fewer values. | detectable by: outputs
import torch
from torch import nn


class MovingAverage(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, X):
        parts = [X[:, max(0, i + 1 - self.window) : i + 1].sum(dim=1) for i in range(X.shape[1])]
        return torch.stack(parts, dim=1) / self.window
