# CHAFF | misconception: no_square | TA: The square is missing. The exponent is -u²/2, so that points on both sides count alike. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u / 2
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights
