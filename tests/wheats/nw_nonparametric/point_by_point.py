# WHEAT | differs: a loop over the test inputs and a named tuple
from typing import NamedTuple

import torch
from torch import Tensor


class Pooled(NamedTuple):
    y_hat: Tensor
    attention_weights: Tensor


def average_pooling(y_train: Tensor, n_test: int) -> Tensor:
    return torch.stack([y_train.mean() for _ in range(n_test)])


def gaussian_pooling(x_test: Tensor, x_train: Tensor, y_train: Tensor) -> Pooled:
    rows = [torch.softmax(-0.5 * (x - x_train).square(), 0) for x in x_test]
    weights = torch.stack(rows)
    return Pooled(torch.einsum("ij,j->i", weights, y_train), weights)
