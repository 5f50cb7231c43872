# CHAFF | misconception: divides_by_test_inputs | TA: You divide the sum of the targets by the number of test inputs. The average of n_train targets is their sum divided by n_train. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return torch.ones(n_test, dtype=y_train.dtype, device=y_train.device) * y_train.sum() / n_test


def gaussian_pooling(x_test, x_train, y_train):
    distance = x_test.unsqueeze(1) - x_train
    weights = torch.softmax(-distance**2 / 2, dim=1)
    return weights @ y_train, weights
