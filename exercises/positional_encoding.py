"""Exercise 5: sinusoidal positional encoding, how attention learns the order of words."""

from __future__ import annotations

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    """Add to every embedding a fixed pattern of sines and cosines that tells its position.

    For position i = 0, 1, 2, ... and column pair j = 0, 1, ..., num_hiddens / 2 - 1:

        P[0, i, 2j]     = sin(i / 10000^(2j / num_hiddens))
        P[0, i, 2j + 1] = cos(i / 10000^(2j / num_hiddens))

    Args:
        num_hiddens: size of an embedding, an even number.
        dropout: probability between 0 and 1 with which an entry of the sum is dropped in training.
        max_len: length of the longest sequence.

    Attributes:
        P: the table, shape (1, max_len, num_hiddens). A plain attribute or a buffer, persistent or not: as
            you like, but nothing in this module is trainable.

    Example:
        >>> encoding = PositionalEncoding(4, 0.0)
        >>> encoding(torch.full((1, 2, 4), 5.0))               # batch 1, steps 2
        tensor([[[5.0000, 6.0000, 5.0000, 6.0000],
                 [5.8415, 5.5403, 5.0100, 5.9999]]])
        >>> encoding.P.shape
        torch.Size([1, 1000, 4])

    Free to you:
        - Any formula that gives the table: `pow` or `exp` and `log`, loops or not.
        - Not graded: odd num_hiddens, sequences longer than max_len, half precision, what is printed, style.

    Source:
        Dive into Deep Learning, section "Self-Attention and Positional Encoding".
    """

    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000) -> None:
        raise NotImplementedError

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return dropout(X + the first `steps` rows of P).

        Args:
            X: embeddings of shape (batch, steps, num_hiddens), steps <= max_len, float32 or float64.

        Returns:
            Shape and dtype of `X`, on the device of `X`. In evaluation mode nothing is dropped; in training
            mode entries of the sum are, and the kept ones are scaled by 1 / (1 - dropout).

        Leave `X` as it was (write `X = X + ...`, not `X += ...`), and never seed the random generator in
        here. Gradients reach `X`.
        """
        raise NotImplementedError
