# CHAFF | misconception: gradient_stops | TA: The gradient does not reach X: somewhere on the way you leave the graph. Look for `.detach()`, `.data`, `torch.no_grad()`, NumPy and `torch.tensor(...)`. A `.clone()` is fine. | detectable by: gradients
import torch


def sequence_mask(X, valid_len, value=0):
    rows = X.tolist()
    for row, n in zip(rows, valid_len.tolist()):
        for step in range(n, len(row)):
            row[step] = torch.full(X.shape[2:], float(value)).tolist()
    return torch.tensor(rows, dtype=X.dtype, device=X.device)
