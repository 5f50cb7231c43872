# CHAFF | misconception: first_targets_for_average | TA: `average_pooling` gives back targets, not their mean. Every test input gets the mean of all of them. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return torch.cat([y_train] * (1 + n_test // len(y_train)))[:n_test]


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
