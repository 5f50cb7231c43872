# CHAFF | misconception: missing_half | TA: The factor 1/2 is missing: the exponent of the Gaussian is -u²/2. | detectable by: outputs, gradients
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights
