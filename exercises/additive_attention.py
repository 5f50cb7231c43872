"""Exercise 2: additive attention, for queries and keys of different sizes."""

from __future__ import annotations

import torch
from masked_softmax import masked_softmax  # your own, from exercise 1; use it if you like
from torch import nn


class AdditiveAttention(nn.Module):
    """Attention pooling with the score a(q, k) = w_v · tanh(W_q q + W_k k).

    Three learnable linear layers, all without bias, under exactly these names:

    | layer | maps                        | weight shape              |
    | ----- | --------------------------- | ------------------------- |
    | `W_k` | key_size -> num_hiddens     | (num_hiddens, key_size)   |
    | `W_q` | query_size -> num_hiddens   | (num_hiddens, query_size) |
    | `w_v` | num_hiddens -> 1            | (1, num_hiddens)          |

    Args:
        key_size: size of one key.
        query_size: size of one query.
        num_hiddens: size of the hidden layer in which query and key meet.
        dropout: probability between 0 and 1 with which a weight is dropped in training.

    Attributes:
        attention_weights: shape (batch, queries, keys): the weights of the last call, before dropout, in
            training and in evaluation mode. Attached or detached, attribute, buffer or property: as you like.

    Example:
        >>> attention = AdditiveAttention(2, 1, 1, 0.0)        # key_size 2, query_size 1, num_hiddens 1
        >>> for weight in attention.parameters():
        ...     _ = nn.init.ones_(weight)                      # so that a(q, k) = tanh(q + k1 + k2)
        >>> queries = torch.tensor([[[0.0]]])
        >>> keys = torch.tensor([[[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]]])
        >>> values = torch.tensor([[[10.0], [20.0], [99.0]]])
        >>> attention(queries, keys, values, torch.tensor([2])).detach()
        tensor([[[17.2393]]])
        >>> attention.attention_weights.detach()
        tensor([[[0.2761, 0.7239, 0.0000]]])

    Free to you:
        - Any order and any sensible initialisation of the layers (just not all zero); `nn.LazyLinear` is
          fine. The constructor is called with positional arguments in the order above.
        - Your own `masked_softmax`, one written in here, or no helper at all.
        - Not graded: length 0, half precision, what is printed, style.

    Source:
        Dive into Deep Learning, section "Attention Scoring Functions", additive attention.
    """

    def __init__(self, key_size: int, query_size: int, num_hiddens: int, dropout: float) -> None:
        raise NotImplementedError

    def forward(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        valid_lens: torch.Tensor | None,
    ) -> torch.Tensor:
        """Average the values with the attention weights of every query.

        Scores -> masked softmax over the keys -> dropout on the weights (training mode only, kept weights
        scaled by 1 / (1 - dropout)) -> weighted sum of the values.

        Args:
            queries: shape (batch, queries, query_size), float32 or float64.
            keys: shape (batch, keys, key_size), same dtype.
            values: shape (batch, keys, value_size), same dtype.
            valid_lens: None, shape (batch,) or shape (batch, queries), as in exercise 1.

        Returns:
            Shape (batch, queries, value_size), dtype and device of the inputs (`attention.double()` with
            float64 inputs gives float64).

        Leave all four inputs as they were, and never seed the random generator in here. Gradients reach
        queries, keys, values and all three layers.
        """
        raise NotImplementedError
