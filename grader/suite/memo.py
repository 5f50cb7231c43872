"""What the references have computed, by what they computed it from: shared between the judges of a run.

All submissions of a run see the same inputs. The first judge sends home what its references computed,
and later judges are forked with it. Only results without a graph are kept: a graph cannot be shared.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from grader.sandbox.box import wire
from grader.student.calls import tensors_in

# What one judge sends home, and what a run keeps: the memory of a class does not grow with its size.
MAX_KEPT_BYTES, MAX_KNOWN_BYTES = 64 << 20, 128 << 20


@dataclass(frozen=True)
class Computed:
    """A result, and the tensors that a module kept as plain attributes on the way."""

    result: Any
    attributes: Mapping[str, torch.Tensor] = field(default_factory=dict)


class Memo:
    """`known` came with the fork, `fresh` was computed since."""

    def __init__(self) -> None:
        self.known: dict[str, Computed] = {}
        self.fresh: dict[str, Computed] = {}
        self._bytes = self._known_bytes = 0

    def find(self, key: str) -> Computed | None:
        return self.known.get(key) or self.fresh.get(key)

    def keep(self, key: str, computed: Computed) -> None:
        self._bytes += bytes_of([computed.result, dict(computed.attributes)])
        if self._bytes <= MAX_KEPT_BYTES:
            self.fresh[key] = computed

    def pack(self) -> list[str]:
        """What is fresh, as text, a frame each: one that cannot travel is left out."""
        frames = []
        for key, computed in self.fresh.items():
            with contextlib.suppress(wire.WireError):
                frames.append(as_text([key, computed.result, dict(computed.attributes)]))
        return frames

    def learn(self, frames: Sequence[str]) -> None:
        for text in frames:
            if self._known_bytes > MAX_KNOWN_BYTES:
                return
            key, result, attributes = from_text(text)
            self.known[key] = Computed(result, attributes)
            self._known_bytes += bytes_of([result, attributes])


def bytes_of(value: Any) -> int:
    """What the tensors in a value take."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors_in(value))


def as_text(value: Any) -> str:
    """A frame of the wire that fits into JSON. Raises WireError for a value that cannot travel."""
    return base64.b64encode(wire.encode(value)).decode()


def from_text(text: str) -> Any:
    return wire.decode(*wire.parts_of(base64.b64decode(text)))


def key_of(name: str, inputs: Any, module: nn.Module | None = None) -> str:
    """A digest of everything that the result depends on."""
    digest = hashlib.blake2b(name.encode(), digest_size=20)
    _feed(digest, inputs)
    if module is not None:
        _feed(digest, [module.training, dict(module.named_parameters()), dict(module.named_buffers())])
    return digest.hexdigest()


def _feed(digest: Any, value: Any) -> None:
    if isinstance(value, torch.Tensor):
        plain = value.detach().contiguous()
        digest.update(f"{plain.dtype}{tuple(plain.shape)}".encode())
        digest.update(plain.reshape(-1).view(torch.uint8).numpy().tobytes() if plain.numel() else b"")
    elif isinstance(value, (list, tuple)):
        digest.update(f"{len(value)} parts".encode())
        for part in value:
            _feed(digest, part)
    elif isinstance(value, dict):
        digest.update(f"{len(value)} names".encode())
        for name, part in value.items():
            _feed(digest, name)
            _feed(digest, part)
    else:  # with its length: 1 and 23 are not 12 and 3
        text = repr(value)
        digest.update(f"{len(text)}:{text}".encode())
