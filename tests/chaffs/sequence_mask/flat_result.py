# CHAFF | misconception: flat_result | TA: You return all rows in one long line, as they lie in memory. Give the result the shape of X again. | detectable by: shape
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    kept = keep.expand_as(X).flatten()
    return torch.where(kept, X.flatten(), value)
