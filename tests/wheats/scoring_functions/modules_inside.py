# WHEAT | differs: modules made for one call around the given weights, notes with prints, concatenated weights
import math
import torch
from torch import nn


def additive_scores(queries, keys, W_q, W_k, w_v):
    n, m = queries.shape[1], keys.shape[1]
    pairs = torch.cat([queries.repeat_interleave(m, dim=1), keys.repeat(1, n, 1)], dim=-1)
    hidden = nn.Tanh()(pairs @ torch.cat([W_q, W_k], dim=1).t())
    return hidden.matmul(w_v).view(-1, n, m)


def dot_scores(queries, keys):
    return (queries[:, :, None, :] * keys[:, None, :, :]).sum(dim=3)


def scaled_dot_scores(queries, keys):
    return dot_scores(queries / math.sqrt(math.sqrt(queries.shape[-1])), keys / queries.shape[-1] ** 0.25)


q, k = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
print(dot_scores(q, k).var(), scaled_dot_scores(q, k).var())
