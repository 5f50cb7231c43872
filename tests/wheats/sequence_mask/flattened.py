# WHEAT | differs: flattens the further axes and uses masked_fill
import torch


def sequence_mask(X, valid_len, value=0, *, axis=1):
    assert axis == 1
    rows, steps = X.shape[0], X.shape[1]
    flat = X.reshape(rows, steps, -1)
    position = torch.ones(rows, steps, dtype=torch.long, device=X.device).cumsum(1)
    return flat.masked_fill((position > valid_len.reshape(-1, 1)).unsqueeze(2), value).reshape(X.shape)
