# CHAFF | misconception: returns_mask_of_numbers | TA: You return the mask as zeros and ones. Return X with its padding replaced. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return torch.ones_like(X) * keep
