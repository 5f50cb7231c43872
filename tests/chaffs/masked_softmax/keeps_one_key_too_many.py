# CHAFF | misconception: keeps_one_key_too_many | TA: Off by one: you keep one key too many, the first one of the padding. Positions count from 0, so with length 2 the valid positions are 0 and 1. Look at the comparison of positions and lengths. | detectable by: outputs
import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    if valid_lens.dim() == 1:
        valid_lens = torch.repeat_interleave(valid_lens, shape[1])
    else:
        valid_lens = valid_lens.reshape(-1)
    mask = torch.arange(shape[-1], device=X.device)[None, :] <= valid_lens[:, None]
    X = X.reshape(-1, shape[-1]).masked_fill(~mask, -1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)
