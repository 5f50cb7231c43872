# CHAFF | misconception: averages_weighted_targets | TA: Your predictions are too small by the number of training points: a mean where a sum is meant. The weights sum to 1 already. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.softmax(exponent, dim=1)
    return (weights * y_train).mean(dim=1), weights
