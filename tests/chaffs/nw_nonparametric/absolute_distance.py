# CHAFF | misconception: absolute_distance | TA: You use the absolute distance where the Gaussian has the squared one, -u²/2. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u.abs()
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights
