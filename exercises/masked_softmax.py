"""Exercise 1: masked softmax, the step that turns scores into attention weights."""

from __future__ import annotations

import torch


def masked_softmax(X: torch.Tensor, valid_lens: torch.Tensor | None) -> torch.Tensor:
    """Softmax over the last axis that gives weight only to the first few keys of every row.

    Sentences in a batch are padded to one length. A query must not attend to the padding, so row by row
    only the first `valid_len` scores take part in the softmax; all others get the weight 0.

    Args:
        X: scores of shape (batch, queries, keys), float32 or float64.
        valid_lens: how many keys are valid, int32 or int64, each between 1 and `keys`:
            - None: every key is valid, this is a plain softmax;
            - shape (batch,): one length per sample, the same for all of its queries;
            - shape (batch, queries): one length per query.

    Returns:
        Weights of the shape and dtype of `X`, on the device of `X`. Every row sums to 1 over its valid
        keys and is 0 everywhere else.

    Example:
        >>> X = torch.tensor([[[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]])     # batch 1, queries 2, keys 3
        >>> masked_softmax(X, torch.tensor([2]))                       # both queries see 2 keys
        tensor([[[0.2689, 0.7311, 0.0000],
                 [0.7311, 0.2689, 0.0000]]])
        >>> masked_softmax(X, torch.tensor([[1, 3]]))                  # 1 key, then 3 keys
        tensor([[[1.0000, 0.0000, 0.0000],
                 [0.6652, 0.2447, 0.0900]]])

    What your function must cope with:
        - Scores anywhere between -1000 and 1000; padded scores lie within 50 of the valid ones.
        - float64 scores give float64 weights with float64 precision.
        - Gradients reach `X` (so: no `.detach()`, no detour through NumPy).
        - A batch of one, a single query, a single key.

    Free to you:
        - You may write into `X`, as the book's code does. Leave `valid_lens` as it was.
        - Not graded: length 0, half precision, lengths given as floats, style.

    Source:
        Dive into Deep Learning, section "Attention Scoring Functions", masked softmax operation.
    """
    raise NotImplementedError
