# CHAFF | misconception: result_collected_on_cpu | TA: `torch.zeros` without `device=` lives on the CPU, so your result does too; use `torch.zeros_like(X)`. | detectable by: device
import torch


def masked_softmax(X, valid_lens):
    batch, queries, keys = X.shape
    result = torch.zeros(batch, queries, keys, dtype=X.dtype)
    for b in range(batch):
        for q in range(queries):
            n = keys if valid_lens is None else int(valid_lens.reshape(batch, -1).expand(batch, queries)[b, q])
            result[b, q, :n] = torch.softmax(X[b, q, :n], dim=-1)
    return result
