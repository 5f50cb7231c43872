# CHAFF | misconception: through_the_cpu | TA: `.cpu()` moves the scores away from their device; stay where `X` is. | detectable by: device
import torch
from torch import nn


def masked_softmax(X, valid_lens):
    X = X.cpu()
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    if valid_lens.dim() == 1:
        valid_lens = torch.repeat_interleave(valid_lens, shape[1])
    else:
        valid_lens = valid_lens.reshape(-1)
    mask = torch.arange(shape[-1], device=X.device)[None, :] < valid_lens[:, None].cpu()
    X = X.reshape(-1, shape[-1]).masked_fill(~mask, -1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)
