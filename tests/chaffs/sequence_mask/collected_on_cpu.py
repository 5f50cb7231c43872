# CHAFF | misconception: wrong_device | TA: Something is created on or moved to the CPU. Create tensors with `device=X.device`, and leave `.cpu()` and NumPy out. | detectable by: device
import torch


def sequence_mask(X, valid_len, value=0):
    out = torch.zeros(X.shape, dtype=X.dtype) + value
    for i, n in enumerate(valid_len.tolist()):
        out[i, :n] = X[i, :n]
    return out
