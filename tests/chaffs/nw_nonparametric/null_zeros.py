# CHAFF | misconception: null answer | TA: Everything is 0: nothing is predicted. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return 0 * y_train.sum().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    weights = 0 * x_test[:, None] * x_train
    return weights @ y_train, weights
