# CHAFF | misconception: median_for_average | TA: You take the median of the targets. Average pooling takes their mean. | detectable by: outputs, gradients
import torch


def average_pooling(y_train, n_test):
    return y_train.median().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
