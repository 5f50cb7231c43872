# CHAFF | misconception: wrong_device | TA: Something is created on or moved to the CPU. Create tensors with `device=X.device`, and leave `.cpu()` and NumPy out. | detectable by: device
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1]) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)
