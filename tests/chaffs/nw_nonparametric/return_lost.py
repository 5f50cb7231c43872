# CHAFF | misconception: returns_nothing | TA: A function returns nothing. Did the `return` get lost? | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
