"""Random inputs of a check, from a secret seed: the same seed gives the same inputs, run after run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import torch


def seed_of(seed: int, name: str) -> int:
    """A seed for one purpose, independent of those for all others."""
    digest = hashlib.sha256(f"{seed}\0{name}".encode()).digest()
    return int.from_bytes(digest[:7], "little")


class Inputs:
    """Draws tensors on the CPU. `name` keeps the draws of one check independent of all others."""

    def __init__(self, seed: int, name: str) -> None:
        self._generator = torch.Generator().manual_seed(seed_of(seed, name))

    def randn(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Normal values with standard deviation `scale`. They fit float32 exactly, whatever the dtype."""
        return (torch.randn(shape, generator=self._generator, dtype=torch.float32) * scale).to(dtype)

    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Uniform values in [low, high)."""
        drawn = torch.rand(shape, generator=self._generator, dtype=torch.float32)
        return (low + (high - low) * drawn).to(dtype)

    def integer(self, low: int, high: int) -> int:
        """One integer with low <= value < high."""
        return int(torch.randint(low, high, (), generator=self._generator))

    def permutation(self, count: int) -> list[int]:
        """The integers 0 ... count - 1 in random order."""
        return [int(i) for i in torch.randperm(count, generator=self._generator)]

    def lengths(self, *shape: int, keys: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        """Valid lengths in 1 ... keys, as different from each other as they can be; 1 and `keys` occur."""
        count = 1
        for size in shape:
            count *= size
        drawn: list[int] = []
        while len(drawn) < count:
            drawn += [i + 1 for i in self.permutation(keys)]
        chosen = self._with_extremes(drawn[:count], keys)
        return torch.tensor(chosen, dtype=dtype).reshape(shape)

    def _with_extremes(self, drawn: Sequence[int], keys: int) -> list[int]:
        chosen = list(drawn)
        wanted = [1, keys] if len(chosen) > 1 else []
        free = [i for i in self.permutation(len(chosen)) if chosen[i] not in wanted]
        for value in wanted:
            if value not in chosen and free:
                chosen[free.pop()] = value
        return chosen
