# CHAFF | misconception: detour_through_numpy | TA: NumPy knows no gradients and works on the CPU only: stay in torch. | detectable by: gradients, device
import numpy as np
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.detach().cpu().numpy()[:, None] - x_train.detach().cpu().numpy()
    k = np.exp(-u**2 / 2 + (u**2 / 2).min(axis=1, keepdims=True))
    weights = torch.from_numpy(k / k.sum(axis=1, keepdims=True))
    return weights @ y_train, weights
