"""Reference for the extension exercise on scoring functions."""

from __future__ import annotations

import math

import torch


def additive_scores(
    queries: torch.Tensor, keys: torch.Tensor, W_q: torch.Tensor, W_k: torch.Tensor, w_v: torch.Tensor
) -> torch.Tensor:
    """(batch, q, query_size), (batch, k, key_size) and weights -> (batch, q, k)."""
    hidden = torch.tanh((queries @ W_q.t()).unsqueeze(2) + (keys @ W_k.t()).unsqueeze(1))
    return hidden @ w_v


def dot_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """(batch, q, d), (batch, k, d) -> (batch, q, k)."""
    return torch.bmm(queries, keys.transpose(1, 2))


def scaled_dot_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """(batch, q, d), (batch, k, d) -> (batch, q, k)."""
    return dot_scores(queries, keys) / math.sqrt(queries.shape[-1])
