# CHAFF | misconception: small_number_in_denominator | TA: You add a small number to the sum that you divide by. Far from every training point it is all that is left, and the weights become 0. `torch.softmax` of the exponents needs no such number. | detectable by: far inputs, precision
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    k = exponent.exp()
    weights = k / (k.sum(dim=1, keepdim=True) + 1e-12)
    return weights @ y_train, weights
