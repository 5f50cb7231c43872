# CHAFF | misconception: value_added | TA: You add `value` to what stands in the padding. Padding must become `value`, whatever stood there. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X + value * (~keep).to(X.dtype)
