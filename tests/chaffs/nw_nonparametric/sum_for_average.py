# CHAFF | misconception: sum_for_average | TA: You add the targets up; divide by how many there are. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.sum().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
