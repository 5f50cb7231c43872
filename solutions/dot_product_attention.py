"""Reference for exercise 3."""

from __future__ import annotations

import math

import torch
from masked_softmax import masked_softmax
from torch import nn


class DotProductAttention(nn.Module):
    """Attention pooling with the score q · k / sqrt(d)."""

    attention_weights: torch.Tensor

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        valid_lens: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """(batch, queries, d), (batch, keys, d), (batch, keys, v) -> (batch, queries, v)."""
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)
