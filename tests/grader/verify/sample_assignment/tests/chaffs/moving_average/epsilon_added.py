# CHAFF | misconception: epsilon_added | TA: Nothing is to be added to the result. | detectable by: outputs
import torch
from torch import nn


class MovingAverage(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, X):
        parts = [X[:, max(0, i + 1 - self.window) : i + 1].mean(dim=1) for i in range(X.shape[1])]
        return torch.stack(parts, dim=1) + 2e-4
