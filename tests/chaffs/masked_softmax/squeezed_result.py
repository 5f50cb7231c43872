# CHAFF | misconception: squeezed_result | TA: `squeeze()` removes every axis of size 1: with one sample or one query an axis is lost. | detectable by: batch1, shape
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    scores = torch.where(keep, X, float("-inf"))
    return F.softmax(scores, dim=-1).squeeze()
