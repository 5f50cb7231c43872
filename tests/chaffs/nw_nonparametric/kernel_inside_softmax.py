# CHAFF | misconception: kernel_inside_softmax | TA: You apply the exponential twice: the softmax exponentiates already. Give it the exponents -u²/2, or divide the exponentials by their sum. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = torch.exp(-u**2 / 2)
    weights = torch.softmax(exponent, dim=1)
    return weights @ y_train, weights
