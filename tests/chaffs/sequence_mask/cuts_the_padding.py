# CHAFF | misconception: cuts_the_padding | TA: You cut the rows at the longest length: the result has fewer steps than X. Padding is overwritten, and the shape stays. | detectable by: shape
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)[:, :int(valid_len.max())]
