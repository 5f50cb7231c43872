# CHAFF | misconception: gradient_stops | TA: The gradient stops on its way: somewhere you leave the graph. Look for `.detach()`, `.data`, `.item()`, `torch.no_grad()`, NumPy and `torch.tensor(...)`. | detectable by: gradients
import torch


def average_pooling(y_train, n_test):
    return torch.full((n_test,), y_train.mean().item(), dtype=y_train.dtype, device=y_train.device)


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
