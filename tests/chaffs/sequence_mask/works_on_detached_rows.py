# CHAFF | misconception: gradient_stops | TA: The gradient does not reach X: somewhere on the way you leave the graph. Look for `.detach()`, `.data`, `torch.no_grad()`, NumPy and `torch.tensor(...)`. A `.clone()` is fine. | detectable by: gradients
import torch


def sequence_mask(X, valid_len, value=0):
    keep = torch.arange(X.shape[1], device=X.device) < valid_len[:, None]
    keep = keep.reshape(keep.shape + (1,) * (X.dim() - 2))
    out = X.detach().clone()
    out[(~keep).expand_as(out)] = value
    return out
