"""Extension: the book's helper that overwrites the padding of a batch."""

from __future__ import annotations

import torch


def sequence_mask(X: torch.Tensor, valid_len: torch.Tensor, value: float = 0) -> torch.Tensor:
    """Replace everything behind the first `valid_len` steps of every row by `value`.

    Row i keeps its steps 0, ..., valid_len[i] - 1; the steps behind are padding and become `value`. This is
    the helper that the book's `masked_softmax` calls with scores as rows and a `value` of -1e6.

    Args:
        X: shape (rows, steps), or with any further axes (rows, steps, ...), float32 or float64. A step that
            is padding is overwritten with everything that it holds along the further axes.
        valid_len: shape (rows,), int32 or int64, each between 0 (all of the row is padding) and `steps`.
        value: the number that padding becomes, 0 if it is left out.

    Returns:
        Shape, dtype and device of `X`: what is valid unchanged, what is not `value`.

    Example:
        >>> X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])       # rows 2, steps 3
        >>> sequence_mask(X.clone(), torch.tensor([1, 2]))
        tensor([[1., 0., 0.],
                [4., 5., 0.]])
        >>> sequence_mask(X.clone(), torch.tensor([3, 0]), value=-1)
        tensor([[ 1.,  2.,  3.],
                [-1., -1., -1.]])

    What your function must cope with:
        - Two, three or more axes; a single row, a single step.
        - float64 in gives float64 out, with all its digits.
        - Gradients reach what is valid in `X` (so: no `.detach()`, no detour through NumPy).

    Free to you:
        - You may write into `X`, as the book's function does. Leave `valid_len` as it was.
        - Not graded: whole numbers or booleans in `X`, infinite values, half precision, style.

    Source:
        Dive into Deep Learning, package `d2l`, function `sequence_mask`; the first text uses it.
    """
    raise NotImplementedError
