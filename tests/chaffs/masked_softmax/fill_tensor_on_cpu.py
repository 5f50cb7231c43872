# CHAFF | misconception: fill_tensor_on_cpu | TA: `torch.full` without `device=` lives on the CPU; use a plain number or `torch.full_like`. | detectable by: device
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    scores = torch.where(keep, X, torch.full(X.shape, -1e6, dtype=X.dtype))
    return F.softmax(scores, dim=-1)
