# CHAFF | misconception: softmax_over_everything | TA: All weights together sum to 1. Every row has to. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.exp(exponent - exponent.max())
    weights = weights / weights.sum()
    return weights @ y_train, weights
