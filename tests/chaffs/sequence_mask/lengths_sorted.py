# CHAFF | misconception: lengths_sorted | TA: You sort the lengths, and so they reach other rows. Row i belongs to valid_len[i]. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len.sort(descending=True)[0][:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)
