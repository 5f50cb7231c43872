# CHAFF | misconception: weights_first | TA: You return the weights first. Predictions come first, then the weights. | detectable by: shape
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.softmax(exponent, dim=1)
    return weights, weights @ y_train
