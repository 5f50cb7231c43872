# CHAFF | misconception: null answer | TA: This ignores X: keep what is valid. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    return torch.zeros_like(X)
