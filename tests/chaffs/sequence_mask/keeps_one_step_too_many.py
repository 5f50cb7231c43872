# CHAFF | misconception: keeps_one_step_too_many | TA: Off by one: you keep one step too many, the first one of the padding. Positions count from 0, so with length 2 the steps 0 and 1 are valid. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device)[None, :] <= valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return torch.where(keep, X, torch.full_like(X, value))
