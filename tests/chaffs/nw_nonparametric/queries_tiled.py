# CHAFF | misconception: queries_tiled | TA: The test inputs are mixed within a row: you tile them as a, b, a, b before you reshape, where every row needs one of them throughout: a, a, b, b. Compare what `repeat` and `repeat_interleave` do. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    n = len(x_train)
    weights = torch.softmax(-(x_test.repeat(n).reshape(-1, n) - x_train) ** 2 / 2, dim=1)
    return weights @ y_train, weights
