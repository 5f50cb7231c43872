# CHAFF | misconception: drops_last_valid_step | TA: Off by one: the last valid step is overwritten too. Either the positions start at 1 while the comparison is made for a start at 0, or one is subtracted from the lengths. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(1, X.shape[1] + 1, device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)
