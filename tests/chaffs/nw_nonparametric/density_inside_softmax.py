# CHAFF | misconception: density_inside_softmax | TA: You give the Gaussian density to the softmax, which exponentiates once more. Give it the exponents -u²/2, or divide the densities by their sum. | detectable by: outputs
import math

import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = torch.exp(-u**2 / 2) / math.sqrt(2 * math.pi)
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights
