# CHAFF | misconception: lengths_tiled | TA: The lengths reach the wrong rows: you tile them as a, b, a, b, but the flattened rows go sample by sample and need a, a, b, b. Compare what `repeat` and `repeat_interleave` do with `torch.tensor([1, 2])`. | detectable by: outputs
import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    if valid_lens.dim() == 1:
        valid_lens = valid_lens.repeat(shape[1])
    else:
        valid_lens = valid_lens.reshape(-1)
    mask = torch.arange(shape[-1], device=X.device)[None, :] < valid_lens[:, None]
    X = X.reshape(-1, shape[-1]).masked_fill(~mask, -1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)
