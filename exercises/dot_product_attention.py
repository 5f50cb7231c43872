"""Exercise 3: scaled dot-product attention, the one inside every Transformer."""

from __future__ import annotations

import torch
from masked_softmax import masked_softmax  # your own, from exercise 1; use it if you like
from torch import nn


class DotProductAttention(nn.Module):
    """Attention pooling with the score a(q, k) = q · k / sqrt(d), d being the size of a query.

    There is nothing to learn in here: the module has no parameters.

    Args:
        dropout: probability between 0 and 1 with which a weight is dropped in training.

    Attributes:
        attention_weights: shape (batch, queries, keys): the weights of the last call, before dropout, in
            training and in evaluation mode. Attached or detached, attribute, buffer or property: as you like.

    Example:
        >>> attention = DotProductAttention(0.0)
        >>> queries = torch.tensor([[[2.0, 0.0, 0.0, 0.0]]])                           # d = 4
        >>> keys = torch.tensor([[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]])
        >>> values = torch.tensor([[[10.0], [20.0]]])
        >>> attention(queries, keys, values)                   # scores 2/2 = 1 and 0/2 = 0
        tensor([[[12.6894]]])
        >>> attention.attention_weights
        tensor([[[0.7311, 0.2689]]])

    Free to you:
        - Your own `masked_softmax`, one written in here, or no helper at all; `bmm`, `@`, `einsum`.
        - Not graded: length 0, half precision, what is printed, style.

    Source:
        Dive into Deep Learning, section "Attention Scoring Functions", scaled dot-product attention.
    """

    def __init__(self, dropout: float) -> None:
        raise NotImplementedError

    def forward(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        valid_lens: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Average the values with the attention weights of every query.

        Scores -> masked softmax over the keys -> dropout on the weights (training mode only, kept weights
        scaled by 1 / (1 - dropout)) -> weighted sum of the values.

        Args:
            queries: shape (batch, queries, d), float32 or float64.
            keys: shape (batch, keys, d), same dtype.
            values: shape (batch, keys, value_size), same dtype.
            valid_lens: None (also when left out), shape (batch,) or shape (batch, queries), as in exercise 1.

        Returns:
            Shape (batch, queries, value_size), dtype and device of the inputs.

        Leave all inputs as they were, and never seed the random generator in here. Gradients reach queries,
        keys and values.
        """
        raise NotImplementedError
