# CHAFF | misconception: lengths_in_column_order | TA: Lengths of shape (batch, queries) reach the wrong rows: you flatten them column by column. The scores are flattened row by row, so the lengths must be too; no transpose is needed. | detectable by: outputs
import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    if valid_lens.dim() == 1:
        valid_lens = torch.repeat_interleave(valid_lens, shape[1])
    else:
        valid_lens = valid_lens.t().flatten()
    mask = torch.arange(shape[-1], device=X.device)[None, :] < valid_lens[:, None]
    X = X.reshape(-1, shape[-1]).masked_fill(~mask, -1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)
