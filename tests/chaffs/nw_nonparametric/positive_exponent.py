# CHAFF | misconception: positive_exponent | TA: The sign is wrong: far points get the largest weights. Mind that `(-u)**2` is positive; the minus has to stand outside the square. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = (-u)**2 / 2
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights
