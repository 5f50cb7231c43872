# WHEAT | differs: reads the mask from a lower triangle by index
import torch


def masked_softmax(X, valid_lens):
    n = X.shape[-1]
    if valid_lens is None:
        return torch.nn.functional.softmax(X, dim=-1)
    # row i of the triangle allows i + 1 keys
    table = torch.ones(n, n, dtype=torch.bool, device=X.device).tril()
    allowed = table[valid_lens.long() - 1]
    if allowed.dim() == 2:
        allowed = allowed.unsqueeze(1)
    return torch.nn.functional.softmax(X.masked_fill(allowed.logical_not(), torch.finfo(X.dtype).min), dim=-1)
