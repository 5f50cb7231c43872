# CHAFF | misconception: detour_through_numpy | TA: NumPy works on the CPU only and has no gradients: stay in torch. | detectable by: device, gradients
import numpy as np
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        q, k, v, w = (t.detach().numpy() for t in (queries, keys, values, self.w))
        u = -(((q[:, None] - k) * w) ** 2) / 2
        e = np.exp(u - u.max(axis=1, keepdims=True))
        a = e / e.sum(axis=1, keepdims=True)
        self.attention_weights = torch.from_numpy(a)
        return torch.from_numpy((a * v).sum(axis=1))
