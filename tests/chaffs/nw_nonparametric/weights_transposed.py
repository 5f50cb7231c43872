# CHAFF | misconception: weights_transposed | TA: You return the weights transposed. They have a row per test input and a column per training point. | detectable by: shape
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights.T
