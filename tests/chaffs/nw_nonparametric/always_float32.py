# CHAFF | misconception: dtype_changed | TA: The dtype of the inputs is lost. Look for `.float()`, NumPy, and for tensors that are created without `dtype=y_train.dtype`. | detectable by: dtype
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    x_test, x_train, y_train = x_test.float(), x_train.float(), y_train.float()
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
