"""What was made lately and may be wanted again: as much of it as fits in so many bytes, whoever asks."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")

_ENTRY_BYTES = 300  # of one that is empty: its key and its places


class Recent(Generic[Made]):
    """Keeps things by the text that they are made of, of which only a digest is kept.

    `size_of` says how many bytes a thing takes. The one that was not asked for longest goes first; one that
    is larger than `max_bytes` is not kept at all.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[Made], int]) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._size_of = size_of
        self._kept: OrderedDict[bytes, tuple[Made, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, text: str, make: Callable[[], Made]) -> Made:
        """What was made of this text, or what `make` makes of it now."""
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return found[0]
        made = make()  # by two threads at once, if both need it: what they make is the same
        self._keep(key, made)
        return made

    def _keep(self, key: bytes, made: Made) -> None:
        size = self._size_of(made) + _ENTRY_BYTES
        with self._lock:
            if key in self._kept or size > self.max_bytes:
                return
            self._kept[key] = (made, size)
            self.bytes += size
            while self.bytes > self.max_bytes:
                _, (_, freed) = self._kept.popitem(last=False)
                self.bytes -= freed
