"""Reference for exercise 2."""

from __future__ import annotations

import torch
from masked_softmax import masked_softmax
from torch import nn


class AdditiveAttention(nn.Module):
    """Attention pooling with the score w_v · tanh(W_q q + W_k k)."""

    attention_weights: torch.Tensor

    def __init__(self, key_size: int, query_size: int, num_hiddens: int, dropout: float) -> None:
        super().__init__()
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        valid_lens: torch.Tensor | None,
    ) -> torch.Tensor:
        """(batch, queries, query_size), (batch, keys, key_size), (batch, keys, v) -> (batch, queries, v)."""
        # Every query meets every key: (batch, queries, 1, h) + (batch, 1, keys, h).
        features = torch.tanh(self.W_q(queries).unsqueeze(2) + self.W_k(keys).unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)
