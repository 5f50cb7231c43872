"""Reference for exercise 5."""

from __future__ import annotations

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    """Add the table of sines and cosines to the embeddings; the table has torch's default dtype."""

    P: torch.Tensor

    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        dtype = torch.get_default_dtype()
        positions = torch.arange(max_len, dtype=dtype).unsqueeze(1)
        exponents = torch.arange(0, num_hiddens, 2, dtype=dtype) / num_hiddens
        angles = positions / torch.pow(10000, exponents)  # (max_len, num_hiddens / 2)
        table = torch.zeros(1, max_len, num_hiddens, dtype=dtype)
        table[0, :, 0::2] = torch.sin(angles)
        table[0, :, 1::2] = torch.cos(angles)
        self.register_buffer("P", table, persistent=False)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """(batch, steps, num_hiddens) -> the same shape."""
        # The caller may have moved X alone, so the table follows it.
        return self.dropout(X + self.P[:, : X.shape[1]].to(X.device))
