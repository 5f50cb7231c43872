"""Reference for the extension exercise `nw_training`."""

from __future__ import annotations

import torch
from torch import nn


def leave_one_out(x_train: torch.Tensor, y_train: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(n,), (n,) -> (n, n - 1), (n, n - 1)."""
    n = len(x_train)
    is_other = ~torch.eye(n, dtype=torch.bool, device=x_train.device)
    keys, values = (points.repeat(n, 1)[is_other].reshape(n, n - 1) for points in (x_train, y_train))
    return keys, values


def train(
    net: nn.Module, x_train: torch.Tensor, y_train: torch.Tensor, lr: float = 0.5, num_epochs: int = 5
) -> list[float]:
    """The summed squared error of every epoch; `net` is changed."""
    keys, values = leave_one_out(x_train, y_train)
    parameters = list(net.parameters())
    losses = []
    for _ in range(num_epochs):
        loss = ((net(x_train, keys, values) - y_train) ** 2).sum()
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():  # by hand: the first use of `torch.optim` imports for a second
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= lr * gradient
        losses.append(loss.item())
    return losses


@torch.no_grad()
def predict(
    net: nn.Module, x_test: torch.Tensor, x_train: torch.Tensor, y_train: torch.Tensor
) -> torch.Tensor:
    """(n_test,), (n,), (n,) -> (n_test,)."""
    rows = len(x_test)
    return net(x_test, x_train.repeat(rows, 1), y_train.repeat(rows, 1))
