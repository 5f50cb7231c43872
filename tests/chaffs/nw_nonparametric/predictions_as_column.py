# CHAFF | misconception: predictions_as_column | TA: Your predictions have an axis too many: (n_test, 1). Return shape (n_test,). | detectable by: shape
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train.unsqueeze(1), weights
