# WHEAT | differs: a Python loop over rows: softmax of the valid part, padded with zeros
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens):
    batch, queries, keys = X.shape
    samples = []
    for b in range(batch):
        rows = []
        for q in range(queries):
            if valid_lens is None:
                n = keys
            elif valid_lens.dim() == 1:
                n = int(valid_lens[b])
            else:
                n = int(valid_lens[b, q])
            rows.append(F.pad(F.softmax(X[b, q, :n], dim=0), (0, keys - n)))
        samples.append(torch.stack(rows))
    return torch.stack(samples)
