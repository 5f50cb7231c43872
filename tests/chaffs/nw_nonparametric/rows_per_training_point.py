# CHAFF | misconception: rows_per_training_point | TA: Rows and columns are swapped: your weights have a row per training point. They need a row per test input and a column per training point. | detectable by: shape
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    weights = torch.softmax(-(x_train[:, None] - x_test) ** 2 / 2, dim=1)
    return weights @ y_train, weights
