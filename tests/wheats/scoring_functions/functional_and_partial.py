# WHEAT | differs: F.linear, a lambda, functools.partial over one general function, other argument names
from functools import partial

import torch
import torch.nn.functional as F


def product(a, b, power=0.0):
    return (a / a.shape[-1] ** power).matmul(b.swapaxes(-1, -2))


def additive_scores(Q, K, wq, wk, wv):
    features = F.linear(Q, wq).unsqueeze(-2) + F.linear(K, wk).unsqueeze(-3)
    return F.linear(features.tanh(), wv[None]).squeeze(-1)


dot_scores = lambda a, b: product(a, b)
scaled_dot_scores = partial(product, power=0.5)
