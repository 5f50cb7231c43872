# CHAFF | misconception: default_one | TA: Without a value you fill in 1. The default of `value` is 0. | detectable by: outputs, signature
import torch


def sequence_mask(X, valid_len, value=1.0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)
