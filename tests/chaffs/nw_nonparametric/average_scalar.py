# CHAFF | misconception: average_scalar | TA: `average_pooling` returns a single number. Return one prediction per test input, `n_test` of them, even though they are all the same. | detectable by: outputs, shape
import torch


def average_pooling(y_train, n_test):
    return y_train.mean()


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
