# CHAFF | misconception: root_of_two_pi_in_exponent | TA: The factor 1/√(2π) of the Gaussian ended up inside the exponent. It stands in front of the exponential, where it cancels out, so you can leave it away. | detectable by: outputs
import math

import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / (2 * math.sqrt(2 * math.pi))
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights
