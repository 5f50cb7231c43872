# WHEAT | differs: softmax first, then mask and divide by what is left
import torch


def masked_softmax(X, valid_lens):
    p = torch.softmax(X, dim=-1)
    if valid_lens is None:
        return p
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    p = p * (torch.arange(X.shape[-1], device=X.device) < lens)
    return p / p.sum(-1, keepdim=True)
