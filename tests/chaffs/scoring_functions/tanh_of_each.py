# CHAFF | misconception: tanh_of_each | TA: tanh falls on query and key on their own. | detectable by: outputs
import math

import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    hidden = torch.tanh(q).unsqueeze(2) + torch.tanh(k).unsqueeze(1)
    return (hidden * w_v).sum(dim=-1)


def dot_scores(queries, keys):
    return torch.bmm(queries, keys.transpose(1, 2))


def scaled_dot_scores(queries, keys):
    d = queries.shape[-1]
    return torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
