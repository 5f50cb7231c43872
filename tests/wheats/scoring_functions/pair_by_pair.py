# WHEAT | differs: loops over every pair of query and key, stacked at the end
import math

import torch


def every_pair(score, queries, keys):
    return torch.stack([torch.stack([torch.stack([score(q, k) for k in ks]) for q in qs]) for qs, ks in zip(queries, keys)])


def additive_scores(queries, keys, W_q, W_k, w_v):
    return every_pair(lambda q, k: w_v.dot(torch.tanh(W_q.mv(q) + W_k.mv(k))), queries, keys)


def dot_scores(queries, keys):
    return every_pair(torch.dot, queries, keys)


def scaled_dot_scores(queries, keys):
    return every_pair(lambda q, k: torch.dot(q, k) / math.sqrt(len(q)), queries, keys)
