"""Reference for the extension exercise `sequence_mask`."""

from __future__ import annotations

import torch


def sequence_mask(X: torch.Tensor, valid_len: torch.Tensor, value: float = 0) -> torch.Tensor:
    """(rows, steps, ...) with `value` behind the first `valid_len` steps of every row."""
    # True = padding; shape (rows, steps), then with an axis of size 1 for each further axis of X.
    is_padding = torch.arange(X.shape[1], device=X.device) >= valid_len[:, None]
    return X.masked_fill(is_padding.reshape(*is_padding.shape, *(1 for _ in X.shape[2:])), value)
