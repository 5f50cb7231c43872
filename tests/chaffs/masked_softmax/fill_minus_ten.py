# CHAFF | misconception: fill_minus_ten | TA: Your fill value is about -10. Padding keeps a little weight, and a lot of it where the valid scores are negative too; the fill must lie far below every score that can occur (the docstring says which). | detectable by: outputs
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    scores = torch.where(keep, X, -10.0)
    return F.softmax(scores, dim=-1)
