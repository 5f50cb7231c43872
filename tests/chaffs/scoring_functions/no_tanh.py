# CHAFF | misconception: no_tanh | TA: The additive score lacks tanh. | detectable by: outputs
import math

import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    hidden = q.unsqueeze(2) + k.unsqueeze(1)
    return (hidden * w_v).sum(dim=-1)


def dot_scores(queries, keys):
    return torch.bmm(queries, keys.transpose(1, 2))


def scaled_dot_scores(queries, keys):
    d = queries.shape[-1]
    return torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
