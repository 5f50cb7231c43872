"""Exercise 4: Nadaraya-Watson kernel regression with a learnable kernel width."""

from __future__ import annotations

import torch
from torch import nn


class NWKernelRegression(nn.Module):
    """Predict a number for every query: an average of values, weighted by how near their keys are.

    With one learnable number w, the weight of key i for query q is

        softmax over i of  -((q - k_i) · w)² / 2

    A larger w makes a narrower window around the query.

    Attributes:
        w: the only parameter (`nn.Parameter`), shape (1,). Start it anywhere but at 0.
        attention_weights: shape (queries, keys): the weights of the last call. Attached or detached,
            attribute, buffer or property: as you like.

    Example:
        >>> net = NWKernelRegression()
        >>> _ = nn.init.ones_(net.w)
        >>> queries = torch.tensor([1.0])                                   # one query
        >>> keys, values = torch.tensor([[0.0, 1.0, 3.0]]), torch.tensor([[10.0, 20.0, 30.0]])
        >>> net(queries, keys, values).detach()
        tensor([17.2949])
        >>> net.attention_weights.detach()
        tensor([[0.3482, 0.5741, 0.0777]])

    Free to you:
        - Any way to compute it; any start of w but 0. The constructor is called without arguments.
        - Not graded: half precision, what is printed, style.

    Source:
        Dive into Deep Learning, section "Attention Pooling by Similarity" (in earlier editions "Attention
        Pooling: Nadaraya-Watson Kernel Regression"), parametric attention pooling.
    """

    def __init__(self) -> None:
        raise NotImplementedError

    def forward(self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Average row i of the values with the weights of query i.

        Args:
            queries: shape (queries,), float32 or float64. Also a single one, and also far from every key.
            keys: shape (queries, keys), same dtype: row i holds the keys that query i is compared with.
                Leaving a training point out of its own row is the caller's business: use every key.
            values: shape (queries, keys), same dtype.

        Returns:
            Shape (queries,), dtype and device of the inputs.

        Leave all inputs as they were. Gradients reach queries, keys, values and w, so that `torch.optim.SGD`
        can train w.
        """
        raise NotImplementedError
