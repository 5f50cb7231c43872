# CHAFF | misconception: masks_from_the_front | TA: You keep the last keys of every row and mask the first ones. The padding stands at the end: with length 2 the keys 0 and 1 are valid. | detectable by: outputs
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = (X.size(-1) - 1 - pos).view(1, 1, -1) < valid_lens.unsqueeze(-1)
    scores = torch.where(keep, X, float("-inf"))
    return F.softmax(scores, dim=-1)
