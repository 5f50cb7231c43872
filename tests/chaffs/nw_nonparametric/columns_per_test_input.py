# CHAFF | misconception: columns_per_test_input | TA: You repeat every test input as often as there are test inputs. A row needs one column per training point, `len(x_train)`; the two are equal in the text's example only. | detectable by: shape
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    n = len(x_test)
    grid = x_test.repeat_interleave(n).reshape(-1, n)
    weights = torch.softmax(-(grid - x_train) ** 2 / 2, dim=1)
    return weights @ y_train, weights
