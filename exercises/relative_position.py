"""Extension: relative positions, the rotation that turns one positional encoding into another."""

from __future__ import annotations

import torch


def relative_projection(delta: int, num_hiddens: int) -> torch.Tensor:
    """The matrices that move a positional encoding by `delta` positions, wherever it starts.

    The encoding of exercise 5 holds at position i, for every pair of columns j = 0, ..., num_hiddens / 2 - 1,

        sin(i · w_j) and cos(i · w_j),  with  w_j = 1 / 10000^(2j / num_hiddens)

    For a fixed offset, position i + delta is a linear function of position i: one matrix M_j per pair, the
    same for all i, gives

        [sin((i + delta) · w_j)]          [sin(i · w_j)]
        [cos((i + delta) · w_j)]  = M_j · [cos(i · w_j)]

    Args:
        delta: the offset, a whole number of any sign, also 0; at most 1000 in size.
        num_hiddens: size of an embedding, an even number, at least 2.

    Returns:
        Shape (num_hiddens / 2, 2, 2), float32, on the CPU: entry j is M_j.

    Example:
        >>> relative_projection(1, 4)
        tensor([[[ 0.5403,  0.8415],
                 [-0.8415,  0.5403]],
        <BLANKLINE>
                [[ 0.9999,  0.0100],
                 [-0.0100,  0.9999]]])

    Free to you:
        - Any way to compute it, loops or not.
        - Not graded: odd num_hiddens, offsets that are no whole numbers, what is printed, style.

    Source:
        The fourth text (self-attention and positional encoding), relative position information; Dive into
        Deep Learning, section "Self-Attention and Positional Encoding".
    """
    raise NotImplementedError
