# CHAFF | misconception: two_dimensional_lengths_ignored | TA: With one length per query nothing is masked; with one length per sample you do it right. Look at the branch for `valid_lens` of shape (batch, queries). | detectable by: outputs
import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    if valid_lens.dim() == 1:
        valid_lens = torch.repeat_interleave(valid_lens, shape[1])
    else:
        return X.softmax(dim=-1)
    mask = torch.arange(shape[-1], device=X.device)[None, :] < valid_lens[:, None]
    X = X.reshape(-1, shape[-1]).masked_fill(~mask, -1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)
