"""Reference for the extension exercise on multi-head attention."""

from __future__ import annotations

import torch
from dot_product_attention import DotProductAttention
from torch import nn


class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention in several heads, which ride along the batch axis."""

    def __init__(
        self,
        key_size: int,
        query_size: int,
        value_size: int,
        num_hiddens: int,
        num_heads: int,
        dropout: float,
        bias: bool = False,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.attention = DotProductAttention(dropout)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=bias)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=bias)
        self.W_v = nn.Linear(value_size, num_hiddens, bias=bias)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)

    def forward(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        valid_lens: torch.Tensor | None,
    ) -> torch.Tensor:
        """(batch, queries, query_size), (batch, keys, ...) twice -> (batch, queries, num_hiddens)."""
        if valid_lens is not None:
            # The heads of one sample follow each other: a, a, b, b.
            valid_lens = valid_lens.repeat_interleave(self.num_heads, dim=0)
        heads = self.attention(
            self.split(self.W_q(queries)),
            self.split(self.W_k(keys)),
            self.split(self.W_v(values)),
            valid_lens,
        )
        return self.W_o(self.merge(heads))

    def split(self, X: torch.Tensor) -> torch.Tensor:
        """(batch, steps, num_hiddens) -> (batch * num_heads, steps, size of a head)."""
        return X.unflatten(-1, (self.num_heads, -1)).transpose(1, 2).flatten(0, 1)

    def merge(self, heads: torch.Tensor) -> torch.Tensor:
        """The way back: (batch * num_heads, steps, size of a head) -> (batch, steps, num_hiddens)."""
        return heads.unflatten(0, (-1, self.num_heads)).transpose(1, 2).flatten(2)
