# CHAFF | misconception: value_ignored | TA: You always fill in 0: the argument `value` is never used. Padding must become `value`. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X * keep
