# CHAFF | misconception: average_column | TA: The result of `average_pooling` has an axis too many: (n_test, 1). Return shape (n_test,). | detectable by: shape
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().expand(n_test, 1)


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
