# CHAFF | misconception: average_per_training_point | TA: `average_pooling` gives one prediction per training point. There has to be one per test input: `n_test` of them. | detectable by: shape
import torch


def average_pooling(y_train, n_test):
    return torch.repeat_interleave(y_train.mean(), len(y_train))


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
