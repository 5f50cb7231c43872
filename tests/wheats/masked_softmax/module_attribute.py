# WHEAT | differs: puts the function into the module through sys.modules
import sys

import torch


def _make(axis):
    def weights(X, valid_lens):
        if valid_lens is None:
            return torch.softmax(X, dim=axis)
        lens = valid_lens.unsqueeze(-1) if valid_lens.dim() == 1 else valid_lens
        keep = lens.unsqueeze(-1) > torch.arange(X.shape[axis], device=X.device)
        return torch.softmax(torch.where(keep, X, torch.full_like(X, -1e6)), dim=axis)

    return weights


setattr(sys.modules[__name__], "masked_softmax", _make(-1))
