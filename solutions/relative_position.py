"""Reference for the extension exercise `relative_position`."""

from __future__ import annotations

import torch


def relative_projection(delta: int, num_hiddens: int) -> torch.Tensor:
    """(num_hiddens / 2, 2, 2): matrix j turns pair j of position i into that of position i + delta."""
    exponents = torch.arange(0, num_hiddens, 2, dtype=torch.get_default_dtype()) / num_hiddens
    angles = delta / torch.pow(10000, exponents)
    sines, cosines = torch.sin(angles), torch.cos(angles)
    return torch.stack((cosines, sines, -sines, cosines), dim=-1).reshape(-1, 2, 2)
