"""Extension: train kernel regression, every training point predicted from all the others."""

from __future__ import annotations

import torch
from torch import nn


def leave_one_out(x_train: torch.Tensor, y_train: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """For every training point the inputs and targets of all the others.

    A point that may look at its own target predicts it perfectly and teaches nothing.

    Args:
        x_train: shape (n,), n at least 2, float32 or float64, in any order.
        y_train: shape (n,), same dtype.

    Returns:
        keys and values, each of shape (n, n - 1), dtype and device of the inputs: row i holds all of
        x_train, or y_train, but for entry i, in their order.

    Example:
        >>> keys, values = leave_one_out(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([1.0, 2.0, 6.0]))
        >>> keys
        tensor([[1., 2.],
                [0., 2.],
                [0., 1.]])
        >>> values
        tensor([[2., 6.],
                [1., 6.],
                [1., 2.]])

    Leave both inputs as they were.
    """
    raise NotImplementedError


def train(
    net: nn.Module, x_train: torch.Tensor, y_train: torch.Tensor, lr: float = 0.5, num_epochs: int = 5
) -> list[float]:
    """Train `net` by stochastic gradient descent (SGD) on all training points at once, one step per epoch.

    An epoch: predict every training point from all the others (`leave_one_out`), add up the squared errors,
    and move every parameter of `net` by -lr times the gradient of that sum. No momentum, no weight decay.

    Args:
        net: any module that is called as `net(queries, keys, values)`, like exercise 4: queries (n,), keys
            and values (n, n - 1) give predictions (n,). Train it itself, from where it is, and all of its
            parameters, whatever their names; call it, and leave the rest of it as it is.
        x_train: shape (n,), n at least 2, float32 or float64.
        y_train: shape (n,), same dtype.
        lr: the learning rate, 0.5 if it is left out.
        num_epochs: how many steps, 5 if it is left out.

    Returns:
        One float per epoch: the summed squared error before the step of that epoch. Plain numbers, not
        tensors.

    Example:
        >>> class ScaledMean(nn.Module):                        # no kernel: w times the average of the values
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.w = nn.Parameter(torch.tensor([1.0]))
        ...     def forward(self, queries, keys, values):
        ...         return self.w * values.mean(dim=1)
        >>> net = ScaledMean()
        >>> x_train, y_train = torch.tensor([0.0, 1.0, 2.0]), torch.tensor([1.0, 2.0, 6.0])
        >>> losses = train(net, x_train, y_train, lr=0.01, num_epochs=2)
        >>> [round(loss, 4) for loss in losses]
        [31.5, 28.4351]
        >>> net.w.detach()
        tensor([0.7081])

    Leave x_train and y_train as they were. Printing is free.

    Source:
        The first text, parametric attention pooling, training; Dive into Deep Learning, section "Attention
        Pooling: Nadaraya-Watson Kernel Regression", training.
    """
    raise NotImplementedError


def predict(
    net: nn.Module, x_test: torch.Tensor, x_train: torch.Tensor, y_train: torch.Tensor
) -> torch.Tensor:
    """Predict a target for every test input from all training points.

    Args:
        net: as in `train`; it stays as it is.
        x_test: shape (n_test,), float32 or float64; n_test and n may differ.
        x_train: shape (n,), same dtype. Every test input is compared with all of them.
        y_train: shape (n,), same dtype.

    Returns:
        Shape (n_test,), dtype and device of the inputs, and not part of a graph: nobody trains on it.

    Leave all inputs as they were.

    Free to you, here and above:
        - Any way to compute it; an optimiser of `torch.optim` or a step by hand; a tuple or a list of the two
          tensors of `leave_one_out`.
        - Not graded: half precision, what is printed, style.
    """
    raise NotImplementedError
