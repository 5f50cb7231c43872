# CHAFF | misconception: softmax_over_test_inputs | TA: Your softmax runs over the test inputs. Each test input shares its weight of 1 among the training points: rows have to sum to 1, not columns. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.softmax(exponent, dim=0)
    return weights @ y_train, weights
