# CHAFF | misconception: mask_on_last_axes | TA: With further axes your mask of shape (rows, steps) lines up with the *last* two axes of X: broadcasting counts axes from the right. The mask needs an axis of size 1 for each further one. | detectable by: outputs, shape
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    return torch.where(keep, X, torch.full_like(X, value))
