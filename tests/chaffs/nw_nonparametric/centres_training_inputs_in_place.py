# CHAFF | misconception: inputs_changed | TA: You write into the data, which belong to the caller. Look for `x += ...` and the like, and for methods that end in `_`. | detectable by: state
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    middle = x_train.mean()
    x_train -= middle
    x_test = x_test - middle
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
