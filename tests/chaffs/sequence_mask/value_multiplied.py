# CHAFF | misconception: value_multiplied | TA: You multiply the padding by `value`. It must become `value`, whatever stood there. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X * keep + X * ~keep * value
