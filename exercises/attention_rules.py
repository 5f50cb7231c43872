"""Extension: the other two rules of the third text, tanh and sum, and the scaled dot product."""

from __future__ import annotations

import torch
from torch import nn


class TanhSumAttn(nn.Module):
    """The second rule: query and key end to end, a linear layer, tanh, the sum, softmax, average of V.

    Every query meets every key of its sample, other than in the first rule (exercise `concat_attn`):

        scores[b, i, j]    = sum over h of tanh(attn([Q[b, i], K[b, j]]))[h]
        attn_weights[b, i] = softmax(scores[b, i])                          over the keys j
        output[b, i]       = sum over j of attn_weights[b, i, j] * V[b, j]

    Here [a, b] is a followed by b (in code: `torch.cat`). One learnable layer with bias, called `attn`, maps
    query_size + key_size -> hidden_size, so its weight has the shape (hidden_size, query_size + key_size).

    Args:
        query_size: size of one query.
        key_size: size of one key.
        hidden_size: number of features that are summed up.

    Example:
        >>> attention = TanhSumAttn(1, 1, 1)
        >>> _ = attention.attn.weight.data.fill_(1.0), attention.attn.bias.data.zero_()  # scores: tanh(q + k)
        >>> Q, K = torch.tensor([[[0.0]]]), torch.tensor([[[0.0], [2.0]]])
        >>> output, attn_weights = attention(Q, K, torch.tensor([[[10.0], [20.0]]]))
        >>> attn_weights.detach()                                          # softmax of 0 and tanh(2) = 0.9640
        tensor([[[0.2761, 0.7239]]])
        >>> output.detach()
        tensor([[[17.2393]]])

    Free to you:
        - Any sensible initialisation of the layer (just not all zero). The constructor is called with
          positional arguments in the order above.
        - attn_weights attached or detached; a tuple, a named tuple or a list of the two.
        - Not graded: half precision, style.

    Source:
        The third text (attention rules), second rule.
    """

    def __init__(self, query_size: int, key_size: int, hidden_size: int) -> None:
        raise NotImplementedError

    def forward(self, Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Average the rows of V with the weights of every query.

        Args:
            Q: shape (batch, queries, query_size), float32 or float64.
            K: shape (batch, keys, key_size), same dtype.
            V: shape (batch, keys, value_size), same dtype.

        Returns:
            Two tensors, in this order, with dtype and device of the inputs (`attention.double()` with float64
            inputs gives float64): output, shape (batch, queries, value_size), and attn_weights, shape
            (batch, queries, keys).

        Leave all three inputs as they were. Gradients reach Q, K, V and the layer.
        """
        raise NotImplementedError


def scaled_dot_attn(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The third rule: the dot product of query and key, divided by sqrt(d), softmax, average of V.

        attn_weights[b, i] = softmax over j of Q[b, i] · K[b, j] / sqrt(d)
        output[b, i]       = sum over j of attn_weights[b, i, j] * V[b, j]

    The text calls the divisor a scaling factor and leaves it open. Here it is sqrt(d), as everywhere.

    Args:
        Q: shape (batch, queries, d), float32 or float64.
        K: shape (batch, keys, d), same dtype.
        V: shape (batch, keys, value_size), same dtype.

    Returns:
        Two tensors, in this order, with dtype and device of the inputs: output, shape (batch, queries,
        value_size), and attn_weights, shape (batch, queries, keys).

    Example:
        >>> Q = torch.tensor([[[2.0, 0.0, 0.0, 0.0]]])                               # d = 4
        >>> K = torch.tensor([[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]])
        >>> scaled_dot_attn(Q, K, torch.tensor([[[10.0], [20.0]]]))               # scores 2/2 = 1 and 0/2 = 0
        (tensor([[[12.6894]]]), tensor([[[0.7311, 0.2689]]]))

    Leave all three inputs as they were. Gradients reach Q, K and V. Free to you: as above.

    Source:
        The third text (attention rules), third rule.
    """
    raise NotImplementedError
