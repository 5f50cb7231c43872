# WHEAT | differs: einsum everywhere, one function built on the other
import torch
from torch import Tensor


def additive_scores(queries: Tensor, keys: Tensor, W_q: Tensor, W_k: Tensor, w_v: Tensor) -> Tensor:
    q = torch.einsum("bqi,hi->bqh", queries, W_q)
    k = torch.einsum("bki,hi->bkh", keys, W_k)
    return torch.einsum("bqkh,h->bqk", torch.tanh(q[:, :, None] + k[:, None]), w_v)


def dot_scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bqd,bkd->bqk", queries, keys)


def scaled_dot_scores(queries: Tensor, keys: Tensor) -> Tensor:
    return dot_scores(queries, keys) * queries.size(-1) ** -0.5
