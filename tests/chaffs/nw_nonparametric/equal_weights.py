# CHAFF | misconception: equal_weights | TA: You give all training points the same weight (average pooling). The weights have to depend on the distances. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    weights = torch.ones_like(x_test)[:, None] * torch.ones_like(x_train) / len(x_train)
    weights = weights + 0 * x_test[:, None] * x_train
    return weights @ y_train, weights
