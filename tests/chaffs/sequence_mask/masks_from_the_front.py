# CHAFF | misconception: masks_from_the_front | TA: You keep the last steps of every row and overwrite the first ones. The padding stands at the end. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device).flip(0) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)
