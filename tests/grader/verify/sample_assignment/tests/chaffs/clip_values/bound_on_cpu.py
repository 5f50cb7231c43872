# CHAFF | misconception: bound_on_cpu | TA: The bound is made on the CPU. | detectable by: device
import torch


def clip_values(X, low, high):
    high = torch.full((1,), high, dtype=X.dtype)
    return torch.minimum(X.clamp(min=low), high)
