"""Reference for the extension exercise on the other two rules of the third text."""

from __future__ import annotations

import math

import torch
from torch import nn


class TanhSumAttn(nn.Module):
    """The score of a query and a key is the sum of tanh of a linear layer over the two."""

    def __init__(self, query_size: int, key_size: int, hidden_size: int) -> None:
        super().__init__()
        self.attn = nn.Linear(query_size + key_size, hidden_size)

    def forward(self, Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(batch, q, query_size), (batch, k, key_size), (batch, k, v) -> (batch, q, v) and (batch, q, k)."""
        shape = (*Q.shape[:2], K.shape[1], -1)
        pairs = torch.cat([Q.unsqueeze(2).expand(shape), K.unsqueeze(1).expand(shape)], dim=-1)
        attn_weights = torch.softmax(torch.tanh(self.attn(pairs)).sum(dim=-1), dim=-1)
        return torch.bmm(attn_weights, V), attn_weights


def scaled_dot_attn(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(batch, q, d), (batch, k, d), (batch, k, v) -> (batch, q, v) and (batch, q, k)."""
    attn_weights = torch.softmax(torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1]), dim=-1)
    return torch.bmm(attn_weights, V), attn_weights
