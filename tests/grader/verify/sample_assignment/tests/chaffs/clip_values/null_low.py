# CHAFF | misconception: null_low | TA: This returns the lower bound everywhere. | detectable by: outputs
import torch


def clip_values(X, low, high):
    return torch.full_like(X, low)
