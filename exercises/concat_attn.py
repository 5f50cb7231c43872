"""Extension: attention by concatenation, the first rule of the third text."""

from __future__ import annotations

import torch
from torch import nn


class Attn(nn.Module):
    """Attention whose weights a linear layer makes of query and key, put end to end.

    A batch of one. Row i of Q belongs to row i of K, and every row gets one weight per value:

        attn_weights[i] = softmax(attn([Q[0, i], K[0, i]]))             value_size1 weights, which sum to 1
        pooled[i]       = sum over j of attn_weights[i, j] * V[0, j]
        output[0, i]    = attn_combine([Q[0, i], pooled[i]])

    Here [a, b] is a followed by b (in code: `torch.cat`). Two learnable linear layers, both with bias, under
    exactly these names:

    | layer          | maps                                   | weight shape                            |
    | -------------- | -------------------------------------- | --------------------------------------- |
    | `attn`         | query_size + key_size -> value_size1   | (value_size1, query_size + key_size)    |
    | `attn_combine` | query_size + value_size2 -> output_size | (output_size, query_size + value_size2) |

    Args:
        query_size: size of one query.
        key_size: size of one key.
        value_size1: number of values.
        value_size2: size of one value.
        output_size: size of one row of the output.

    Example:
        >>> attention = Attn(1, 1, 2, 1, 1)
        >>> _ = attention.attn.weight.data.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))  # scores: q and k
        >>> _ = attention.attn_combine.weight.data.fill_(1.0)                             # q + pooled value
        >>> _ = attention.attn.bias.data.zero_(), attention.attn_combine.bias.data.zero_()
        >>> Q, K, V = torch.tensor([[[2.0]]]), torch.tensor([[[3.0]]]), torch.tensor([[[10.0], [20.0]]])
        >>> output, attn_weights = attention(Q, K, V)
        >>> attn_weights.detach()                                        # softmax of 2 and 3
        tensor([[0.2689, 0.7311]])
        >>> output.detach()                                              # 2 + 17.3106
        tensor([[[19.3106]]])

    Free to you:
        - Any sensible initialisation of the layers (just not all zero). The constructor is called with
          positional arguments in the order above.
        - attn_weights attached or detached; a tuple, a named tuple or a list of the two.
        - Not graded: a batch of more than one, other numbers of keys than queries, half precision, style.

    Source:
        The third text (attention rules), class `Attn`.
    """

    def __init__(
        self, query_size: int, key_size: int, value_size1: int, value_size2: int, output_size: int
    ) -> None:
        raise NotImplementedError

    def forward(self, Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights from Q and K, the average of V, and both through the second layer.

        Args:
            Q: shape (1, queries, query_size), float32 or float64.
            K: shape (1, queries, key_size), same dtype: one key for every query.
            V: shape (1, value_size1, value_size2), same dtype.

        Returns:
            Two tensors, in this order, with dtype and device of the inputs (`attention.double()` with float64
            inputs gives float64):
            - output, shape (1, queries, output_size): three axes;
            - attn_weights, shape (queries, value_size1): two axes, without the batch.

        Leave all three inputs as they were, and never seed the random generator in here. Gradients reach Q,
        K, V and both layers.
        """
        raise NotImplementedError
