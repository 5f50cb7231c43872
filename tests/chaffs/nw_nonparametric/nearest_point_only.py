# CHAFF | misconception: nearest_point_only | TA: The nearest training point gets all the weight. Every point takes part, with a weight that falls with its distance. | detectable by: outputs, gradients
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.zeros_like(exponent)
    weights[range(len(x_test)), exponent.argmax(1)] = 1
    return weights @ y_train, weights
