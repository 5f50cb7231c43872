# CHAFF | misconception: default_minus_million | TA: Without a value you fill in -1e6. That is what `masked_softmax` asks for; here the default of `value` is 0. | detectable by: outputs, signature
import torch


def sequence_mask(X, valid_len, value=-1e6):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    return X.masked_fill(~keep, value)
