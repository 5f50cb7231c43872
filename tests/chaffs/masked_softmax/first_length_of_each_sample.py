# CHAFF | misconception: first_length_of_each_sample | TA: Of the lengths of shape (batch, queries) you use only the first one of each sample. Every query has its own. | detectable by: outputs
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    else:
        valid_lens = valid_lens[:, :1]
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    scores = torch.where(keep, X, float("-inf"))
    return F.softmax(scores, dim=-1)
