# CHAFF | misconception: half_precision_inside | TA: You compute in half precision, which keeps three digits. Keep the dtype of the scores. | detectable by: outputs
import torch


def masked_softmax(X, valid_lens):
    H = X.half()
    if valid_lens is not None:
        lens = valid_lens.reshape(len(X), -1, 1)
        H = H.masked_fill(torch.arange(X.shape[-1], device=X.device) >= lens, -6e4)
    return torch.softmax(H, dim=-1).to(X.dtype)
