# WHEAT | differs: torch.where and a fill of -inf instead of -1e6
import torch


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return torch.softmax(X, -1)
    lens = valid_lens if valid_lens.dim() == 2 else valid_lens.unsqueeze(1)
    inside = torch.arange(X.size(2), device=X.device).expand(1, 1, -1) < lens.unsqueeze(2)
    return torch.where(inside, X, -torch.inf).softmax(-1)
