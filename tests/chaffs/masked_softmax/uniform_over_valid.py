# CHAFF | misconception: uniform_over_valid | TA: Every valid key gets the same weight, 1 / length: the scores play no part. The weights have to come from the softmax of the scores. | detectable by: outputs, gradients
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    mask = keep.expand_as(X).to(X.dtype)
    return mask / mask.sum(dim=-1, keepdim=True)
