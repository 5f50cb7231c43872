# CHAFF | misconception: masks_along_the_last_axis | TA: With further axes you count along the last one. `valid_len` counts steps, and these are the second axis, however many follow: take the size from `X.shape[1]`, not from `X.shape[-1]`. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    positions = torch.arange(X.shape[-1], device=X.device)
    lens = valid_len.reshape(-1, *[1] * (X.dim() - 1))
    return X.masked_fill(positions >= lens, value)
