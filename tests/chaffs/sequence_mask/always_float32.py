# CHAFF | misconception: dtype_changed | TA: The dtype of X is lost. Look for `.float()`, NumPy, and for tensors that are created without `dtype=X.dtype`. | detectable by: dtype
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.float().masked_fill(~keep, value)
