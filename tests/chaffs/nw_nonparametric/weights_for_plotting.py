# CHAFF | misconception: weights_for_plotting | TA: The weights that you return have the two axes that `show_heatmaps` wants in front. Return shape (n_test, n_train). | detectable by: shape
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights.unsqueeze(0).unsqueeze(0)
