# CHAFF | misconception: kernel_underflows | TA: Far from every training point all exponentials become 0, and you divide 0 by 0: NaN. `torch.softmax` of the exponents subtracts the largest one first. | detectable by: finite
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    k = exponent.exp()
    weights = k / k.sum(dim=1, keepdim=True)
    return weights @ y_train, weights
