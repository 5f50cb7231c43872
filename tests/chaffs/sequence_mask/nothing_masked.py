# CHAFF | misconception: nothing_masked | TA: You return X as it was: nothing is masked. Maybe the mask is never applied, or its result is thrown away: `masked_fill` returns a new tensor, only `masked_fill_` changes the old one. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    X.masked_fill(~keep, value)
    return X
