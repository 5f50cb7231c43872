"""Reference for the extension exercise on attention by concatenation."""

from __future__ import annotations

import torch
from torch import nn


class Attn(nn.Module):
    """Weights from a linear layer over query and key, then a linear layer over query and pooled value."""

    def __init__(
        self, query_size: int, key_size: int, value_size1: int, value_size2: int, output_size: int
    ) -> None:
        super().__init__()
        self.attn = nn.Linear(query_size + key_size, value_size1)
        self.attn_combine = nn.Linear(query_size + value_size2, output_size)

    def forward(self, Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(1, n, query_size), (1, n, key_size), (1, v1, v2) -> (1, n, output_size) and (n, v1)."""
        attn_weights = torch.softmax(self.attn(torch.cat([Q, K], dim=-1)), dim=-1)
        output = self.attn_combine(torch.cat([Q, torch.bmm(attn_weights, V)], dim=-1))
        return output, attn_weights[0]
