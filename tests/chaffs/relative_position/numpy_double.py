# CHAFF | misconception: dtype_changed | TA: The result is not float32. NumPy computes in float64, and so do tensors that are made with `dtype=torch.float64`; `.float()` at the end is fine. | detectable by: dtype
import numpy as np
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (np.arange(0, num_hiddens, 2) / num_hiddens)
    a = delta * w
    c, s = np.cos(a), np.sin(a)
    return torch.from_numpy(np.stack((c, s, -s, c), axis=-1).reshape(-1, 2, 2))
