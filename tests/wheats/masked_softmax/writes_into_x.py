# WHEAT | differs: masked_fill_ on the caller's scores, as the contract allows
import torch


def masked_softmax(X, valid_lens):
    if valid_lens is not None:
        lens = valid_lens.view(X.shape[0], -1, 1)
        X.masked_fill_(torch.arange(X.shape[-1], device=X.device) >= lens, -1e6)
    return torch.softmax(X, dim=-1)
