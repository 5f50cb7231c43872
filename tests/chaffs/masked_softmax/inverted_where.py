# CHAFF | misconception: inverted_mask_with_infinity | TA: Your mask is inverted: you keep the padding and mask the valid keys. Rows without any padding have nothing left and become NaN. Check which side of the comparison means "may attend". | detectable by: outputs
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    scores = torch.where(keep, float("-inf"), X)
    return F.softmax(scores, dim=-1)
