"""Extension: multi-head attention, several attentions side by side, each on its own part of the features."""

from __future__ import annotations

import torch
from dot_product_attention import DotProductAttention  # your own, from exercise 3; use it if you like
from torch import nn


class MultiHeadAttention(nn.Module):
    """Project, split the features into heads, attend in every head, put the heads together, project again.

    With s = num_hiddens / num_heads, head number i = 0, 1, ..., num_heads - 1 takes the features
    i * s ... (i + 1) * s - 1 of every projected query, key and value. In every head on its own:

        scaled dot-product attention with valid_lens, so the scores are divided by sqrt(s)

    The results of the heads, end to end and head 0 first, are the num_hiddens features that W_o projects.

    Four learnable linear layers under exactly these names, one wide layer each, not one per head; with a bias
    in all of them if `bias` is true, in none of them if it is not:

    | layer | maps                       | weight shape               |
    | ----- | -------------------------- | -------------------------- |
    | `W_q` | query_size -> num_hiddens  | (num_hiddens, query_size)  |
    | `W_k` | key_size -> num_hiddens    | (num_hiddens, key_size)    |
    | `W_v` | value_size -> num_hiddens  | (num_hiddens, value_size)  |
    | `W_o` | num_hiddens -> num_hiddens | (num_hiddens, num_hiddens) |

    Args:
        key_size: size of one key.
        query_size: size of one query.
        value_size: size of one value.
        num_hiddens: size of a projected query, key or value; a multiple of num_heads.
        num_heads: number of heads.
        dropout: probability between 0 and 1 with which a weight is dropped in training.
        bias: whether the layers have a bias.

    Example:
        >>> attention = MultiHeadAttention(2, 2, 2, 2, 2, 0.0)         # 2 heads, 1 feature each
        >>> for layer in (attention.W_q, attention.W_k, attention.W_v, attention.W_o):
        ...     _ = layer.weight.data.copy_(torch.eye(2))              # so that nothing is projected
        >>> queries = torch.tensor([[[1.0, 0.0]]])
        >>> keys = torch.tensor([[[0.0, 5.0], [1.0, 5.0]]])
        >>> values = torch.tensor([[[10.0, 10.0], [20.0, 20.0]]])
        >>> attention(queries, keys, values, None).detach()            # scores 0, 1 in head 0; 0, 0 in head 1
        tensor([[[17.3106, 15.0000]]])

    Free to you:
        - Your own `DotProductAttention` or `masked_softmax`, d2l's, ones written in here, or neither;
          `reshape` and `transpose`, `einsum`, or a loop over the heads.
        - Any order and any sensible initialisation of the layers (just not all zero); `nn.LazyLinear` is
          fine. The constructor is called with positional arguments in the order above.
        - Not graded: stored weights, length 0, a num_hiddens that is no multiple of num_heads, half
          precision, style.

    Source:
        Dive into Deep Learning, section "Multi-Head Attention"; used as self-attention in the fourth text.
    """

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
        raise NotImplementedError

    def forward(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        valid_lens: torch.Tensor | None,
    ) -> torch.Tensor:
        """Attend in every head. Self-attention is `attention(X, X, X, valid_lens)`.

        In every head: scores -> masked softmax over the keys -> dropout on the weights (training mode only,
        kept weights scaled by 1 / (1 - dropout)) -> weighted sum of the values.

        Args:
            queries: shape (batch, queries, query_size), float32 or float64.
            keys: shape (batch, keys, key_size), same dtype.
            values: shape (batch, keys, value_size), same dtype.
            valid_lens: None, shape (batch,) or shape (batch, queries), as in exercise 1; the same lengths
                hold in every head of a sample.

        Returns:
            Shape (batch, queries, num_hiddens), dtype and device of the inputs (`attention.double()` with
            float64 inputs gives float64).

        Leave all four inputs as they were, and never seed the random generator in here. Gradients reach
        queries, keys, values and all four layers.
        """
        raise NotImplementedError
