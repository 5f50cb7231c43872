"""Extension: three attention scoring functions side by side, for the same queries and keys."""

from __future__ import annotations

import torch


def additive_scores(
    queries: torch.Tensor, keys: torch.Tensor, W_q: torch.Tensor, W_k: torch.Tensor, w_v: torch.Tensor
) -> torch.Tensor:
    """Additive scores: w_v · tanh(W_q q + W_k k), for every query q with every key k of its sample.

    Queries and keys may have different sizes; the hidden size h comes from the weights.

    Args:
        queries: shape (batch, queries, query_size), float32 or float64.
        keys: shape (batch, keys, key_size), same dtype.
        W_q: shape (h, query_size), same dtype.
        W_k: shape (h, key_size), same dtype.
        w_v: shape (h,), same dtype.

    Returns:
        Scores of shape (batch, queries, keys), dtype and device of the inputs: no softmax, no mask. Also for
        a batch of one, a single query, a single key.

    Example:
        >>> queries, keys = torch.tensor([[[0.0]]]), torch.tensor([[[0.0], [1.0]]])
        >>> additive_scores(queries, keys, torch.ones(2, 1), torch.ones(2, 1), torch.tensor([1.0, 2.0]))
        tensor([[[0.0000, 2.2848]]])

    Leave all inputs as they were. Gradients reach every one of them. Any way to compute it is fine: with
    broadcasting, einsum, loops. Not graded: half precision, style.

    Source:
        The first text (notes on attention mechanisms), additive attention; Dive into Deep Learning, section
        "Attention Scoring Functions".
    """
    raise NotImplementedError


def dot_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Dot-product scores: q · k, for every query q with every key k of its sample.

    Args:
        queries: shape (batch, queries, d), float32 or float64.
        keys: shape (batch, keys, d), same dtype.

    Returns:
        Scores of shape (batch, queries, keys), dtype and device of the inputs: no softmax, no mask.

    Example:
        >>> queries = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])
        >>> keys = torch.tensor([[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0]]])
        >>> dot_scores(queries, keys)
        tensor([[[1., 6.]]])
    """
    raise NotImplementedError


def scaled_dot_scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Scaled dot-product scores: q · k / sqrt(d), for every query q with every key k of its sample.

    The dot product of d independent numbers of variance 1 has variance d; divided by sqrt(d) it has variance
    1 again, whatever d is.

    Args:
        queries: shape (batch, queries, d), float32 or float64.
        keys: shape (batch, keys, d), same dtype.

    Returns:
        Scores of shape (batch, queries, keys), dtype and device of the inputs: no softmax, no mask.

    Example:
        >>> queries = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])
        >>> keys = torch.tensor([[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0]]])
        >>> scaled_dot_scores(queries, keys)                                     # d = 4
        tensor([[[0.5000, 3.0000]]])
    """
    raise NotImplementedError
