# CHAFF | misconception: inverted_mask | TA: Your mask is inverted: you overwrite what is valid and keep the padding. Check which side of the comparison means "is kept", and whether the assignment wants the mask or its opposite (`~mask`). | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) >= valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)
