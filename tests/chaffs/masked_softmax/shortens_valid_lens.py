# CHAFF | misconception: shortens_valid_lens | TA: `valid_lens -= 1` changes the caller's lengths: the next call sees wrong ones. | detectable by: mutation
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1)
    valid_lens -= 1
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) <= valid_lens.unsqueeze(-1)
    scores = torch.where(keep, X, float("-inf"))
    return F.softmax(scores, dim=-1)
