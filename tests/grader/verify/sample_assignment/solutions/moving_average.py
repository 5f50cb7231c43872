"""Reference for exercise 2."""

from __future__ import annotations

import torch
from torch import nn


class MovingAverage(nn.Module):
    """The mean over the last `window` steps."""

    def __init__(self, window: int) -> None:
        super().__init__()
        self.window = window

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """(batch, steps) -> the same shape."""
        parts = [X[:, max(0, i + 1 - self.window) : i + 1].mean(dim=1) for i in range(X.shape[1])]
        return torch.stack(parts, dim=1)
