# CHAFF | misconception: no_renormalisation | TA: You mask after the softmax: the valid weights no longer sum to 1, because the padding took its share before. Mask the scores first, or divide by the sum of what is left. | detectable by: outputs
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    return F.softmax(X, dim=-1) * keep
