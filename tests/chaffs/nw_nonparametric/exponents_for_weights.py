# CHAFF | misconception: exponents_for_weights | TA: Instead of the weights you return the exponents. Return what the softmax makes of them. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    return torch.softmax(exponent, dim=1) @ y_train, exponent
