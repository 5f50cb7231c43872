"""Extension: kernel regression without parameters, from the plain average to Gaussian weights."""

from __future__ import annotations

import torch


def average_pooling(y_train: torch.Tensor, n_test: int) -> torch.Tensor:
    """Predict the average of all training targets, the same for every test input.

    Args:
        y_train: targets of shape (n_train,), float32 or float64.
        n_test: for how many test inputs, at least 1.

    Returns:
        Shape (n_test,), dtype and device of `y_train`.

    Example:
        >>> average_pooling(torch.tensor([1.0, 2.0, 6.0]), 2)
        tensor([3., 3.])

    Leave `y_train` as it was. Gradients reach it.

    Source:
        The first text, average pooling; Dive into Deep Learning, section "Attention Pooling".
    """
    raise NotImplementedError


def gaussian_pooling(
    x_test: torch.Tensor, x_train: torch.Tensor, y_train: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Predict for every test input an average of the training targets, weighted by how near they are.

    The weight of training input i for the test input x is

        softmax over i of  -(x - x_train[i])² / 2

    Test inputs are the queries, training inputs the keys, training targets the values. Nothing is learned.

    Args:
        x_test: shape (n_test,), float32 or float64, in any order; also one that is far from all of x_train.
        x_train: shape (n_train,), same dtype, in any order.
        y_train: shape (n_train,), same dtype.

    Returns:
        Two tensors, in this order, with dtype and device of the inputs:
        - the predictions, shape (n_test,);
        - the weights, shape (n_test, n_train): row j belongs to test input j and sums to 1.

    Example:
        >>> x_train, y_train = torch.tensor([0.0, 1.0, 3.0]), torch.tensor([10.0, 20.0, 30.0])
        >>> y_hat, attention_weights = gaussian_pooling(torch.tensor([1.0]), x_train, y_train)
        >>> attention_weights
        tensor([[0.3482, 0.5741, 0.0777]])
        >>> y_hat
        tensor([17.2949])

    Leave all inputs as they were. Gradients reach every one of them.

    Free to you:
        - A tuple, a named tuple or a list of the two tensors; any way to compute them.
        - Not graded: half precision, what is printed, style.

    Source:
        The first text, non-parametric attention pooling (Nadaraya, 1964; Watson, 1964); Dive into Deep
        Learning, section "Attention Pooling: Nadaraya-Watson Kernel Regression".
    """
    raise NotImplementedError
