# CHAFF | misconception: wrong_device | TA: Something is created on or moved to the CPU. Create tensors with `device=y_train.device`, and leave `.cpu()` and NumPy out. | detectable by: device
import torch


def average_pooling(y_train, n_test):
    return torch.zeros(n_test, dtype=y_train.dtype) + y_train.mean()


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
