# CHAFF | misconception: not_normalised | TA: You use the kernel as it is, without dividing by the sum over the training points: your weights do not sum to 1. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = exponent.exp()
    return weights @ y_train, weights
