"""Where threads leave word for the one loop that acts: it sleeps on `bell` beside its other sockets."""

from __future__ import annotations

import contextlib
import socket
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Saved:
    """Something below the watched path may have changed."""


@dataclass(frozen=True)
class Key:
    """A key that was pressed, as one character; Enter is `r`."""

    name: str


@dataclass(frozen=True)
class Closed:
    """Nobody is there any more: standard input has ended."""


@dataclass(frozen=True)
class Broken:
    """A thread cannot go on; `reason` is a sentence."""

    reason: str


Word = Saved | Key | Closed | Broken


class Mailbox:
    """Words in the order in which they were left; `put` may be called from any thread."""

    def __init__(self) -> None:
        self._words: deque[Word] = deque()
        self.bell, self._ringer = socket.socketpair()
        self.bell.setblocking(False)
        self._ringer.setblocking(False)

    def put(self, word: Word) -> None:
        self._words.append(word)
        with contextlib.suppress(OSError):  # it rings already, or nobody listens any more
            self._ringer.send(b"!")

    def take(self) -> list[Word]:
        """All words that are there."""
        with contextlib.suppress(BlockingIOError):
            while self.bell.recv(4096):
                pass
        taken = []
        while self._words:
            taken.append(self._words.popleft())
        return taken

    def close(self) -> None:
        self._ringer.close()
        self.bell.close()
