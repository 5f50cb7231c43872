# CHAFF | misconception: value_always_minus_million | TA: You always fill in -1e6: the argument `value` is never used. Padding must become `value`. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, -1e6)
