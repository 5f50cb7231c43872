# CHAFF | misconception: zero_fill | TA: You set the masked scores to 0 (or to something tiny like 1e-6, where -1e6 is meant), but a score of 0 still gets weight: exp(0) is 1. A masked score must be so low that nothing is left of it after the softmax. | detectable by: outputs
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
    mask = torch.arange(shape[-1], device=X.device)[None, :] < valid_lens[:, None]
    X = X.reshape(-1, shape[-1]).mul(mask)
    return nn.functional.softmax(X.reshape(shape), dim=-1)
