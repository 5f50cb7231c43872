# CHAFF | misconception: dtype_changed | TA: The result is not float32. NumPy computes in float64, and so do tensors that are made with `dtype=torch.float64`; `.float()` at the end is fine. | detectable by: dtype
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2).half()
