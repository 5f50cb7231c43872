"""Reference for exercise 1."""

from __future__ import annotations

import torch

# As in the book: so low that a masked score gets exactly the weight 0, and finite, so that a row without any
# valid key (never graded) is uniform instead of NaN.
MASKED_SCORE = -1e6


def masked_softmax(X: torch.Tensor, valid_lens: torch.Tensor | None) -> torch.Tensor:
    """Softmax of (batch, queries, keys) scores over the first `valid_lens` keys of every row; 0 elsewhere."""
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    if valid_lens.dim() == 1:
        valid_lens = valid_lens[:, None]
    # True = may attend; shape (batch, queries or 1, keys).
    is_valid = torch.arange(X.shape[-1], device=X.device) < valid_lens[:, :, None]
    return torch.softmax(X.masked_fill(~is_valid, MASKED_SCORE), dim=-1)
