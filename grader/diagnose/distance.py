"""How far two results are apart, and how much there is in them to compare."""

from __future__ import annotations

import math
from typing import Any

import torch


def distance(own: Any, other: Any) -> float:
    """The largest difference, relative beyond 1 in size; infinite if there is nothing to subtract."""
    if isinstance(own, torch.Tensor) and isinstance(other, torch.Tensor):
        return _tensor_distance(own, other)
    if isinstance(own, (tuple, list)) and isinstance(other, (tuple, list)) and len(own) == len(other):
        return max((distance(a, b) for a, b in zip(own, other, strict=True)), default=0.0)
    if isinstance(own, (int, float)) and isinstance(other, (int, float)):
        return abs(own - other) / max(1.0, abs(other))
    return 0.0 if own is None and other is None else math.inf


def _tensor_distance(own: torch.Tensor, other: torch.Tensor) -> float:
    if own.shape != other.shape or own.is_complex() or other.is_complex():
        return math.inf
    if not own.numel():
        return 0.0
    a, b = own.detach().double(), other.detach().double()
    difference = float(((a - b).abs_() / b.abs().clamp_(min=1.0)).max())
    return difference if math.isfinite(difference) else _distance_around_holes(a, b)


def _distance_around_holes(a: torch.Tensor, b: torch.Tensor) -> float:
    """NaN and infinities have to be the same in both; the distance of the other entries."""
    is_finite = torch.isfinite(b)
    if not torch.equal(torch.isfinite(a), is_finite):
        return math.inf
    if not torch.equal(a[~is_finite].nan_to_num(1.5), b[~is_finite].nan_to_num(1.5)):
        return math.inf
    return _tensor_distance(a[is_finite], b[is_finite])


def count(part: Any) -> int:
    """How many finite numbers a result holds."""
    return sum(int(torch.isfinite(tensor).sum()) for tensor in _numbers_in(part))


def overflows(part: Any) -> bool:
    """A result holds NaN or infinities."""
    return not all(bool(torch.isfinite(tensor).all()) for tensor in _numbers_in(part))


def _numbers_in(part: Any) -> list[torch.Tensor]:
    if isinstance(part, (tuple, list)):
        return [tensor for one in part for tensor in _numbers_in(one)]
    if isinstance(part, float):
        return [torch.tensor(part)]
    return [part] if isinstance(part, torch.Tensor) else []
