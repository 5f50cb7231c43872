# WHEAT | differs: the class comes from type() and is looked up through sys.modules
import sys

import torch
from torch import nn


def _init(self):
    nn.Module.__init__(self)
    self.w = nn.Parameter(torch.rand(1) + 0.01)


def _forward(self, queries, keys, values):
    module = sys.modules[__name__]
    self.attention_weights = module.weights(queries, keys, self.w)
    return (self.attention_weights * values).sum(-1)


def weights(queries, keys, w):
    return (-((queries[:, None] - keys) * w).square().div(2)).softmax(-1)


NWKernelRegression = type("NWKernelRegression", (nn.Module,), {"__init__": _init, "forward": _forward})
