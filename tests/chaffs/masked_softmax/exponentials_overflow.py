# CHAFF | misconception: exponentials_overflow | TA: The exponential of a large score overflows: infinity divided by infinity is NaN (or, for very low scores, 0 by 0). Subtract the row's maximum first, or use `torch.softmax`, which does. | detectable by: outputs
import torch


def masked_softmax(X, valid_lens):
    if valid_lens is not None:
        lens = valid_lens.reshape(len(X), -1, 1)
        X = X.masked_fill(torch.arange(X.shape[-1], device=X.device) >= lens, -1e6)
    e = torch.exp(X)
    return e / e.sum(dim=-1, keepdim=True)
