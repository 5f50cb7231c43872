# CHAFF | misconception: longest_length_for_all | TA: You cut every row at the longest length of the whole batch. Every row has its own length; `.max()` over all of them loses that. | detectable by: outputs
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.max()
    scores = torch.where(keep, X, float("-inf"))
    return F.softmax(scores, dim=-1)
