# CHAFF | misconception: fill_minus_hundred | TA: Your fill value is about -100. Where the valid scores are lower than that, the padding wins; the fill must lie far below every score that can occur (the docstring says which). | detectable by: outputs
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
    X = X.reshape(-1, shape[-1]).masked_fill(~mask, -1e2)
    return nn.functional.softmax(X.reshape(shape), dim=-1)
