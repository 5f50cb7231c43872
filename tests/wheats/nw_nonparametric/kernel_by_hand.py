# WHEAT | differs: Gaussian density and a division by its sum, shifted so that nothing underflows; a list
import math

import torch


def _kernel(u, shift):
    return torch.exp(-(u**2) / 2 + shift) / math.sqrt(2 * math.pi)


def average_pooling(y_train, n_test):
    return torch.zeros(n_test, dtype=y_train.dtype, device=y_train.device) + y_train.sum() / y_train.numel()


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.view(-1, 1) - x_train.view(1, -1)
    nearest = (u.detach().abs().min(dim=1, keepdim=True).values ** 2) / 2
    heights = _kernel(u, nearest)
    weights = heights / heights.sum(dim=1, keepdim=True)
    return [(weights * y_train).sum(-1), weights]
