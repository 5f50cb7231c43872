# CHAFF | misconception: value_required | TA: `value` has no default: a call without it fails. Write `value=0` in the signature. | detectable by: signature
import torch


def sequence_mask(X, valid_len, value):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)
