"""What one check asks the student's code and what it hears, exchange by exchange; live, or played back."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.errors import HarnessError, StudentError
from grader.sandbox.replies import ReplyReader, request_frame
from grader.sandbox.worker import Worker

DIGEST_BYTES = 20


@dataclass(frozen=True)
class Exchange:
    """A request and the reply to it, as frames; or the request during which the worker ended, and how."""

    what: str
    request: bytes
    reply: bytes = b""
    error: StudentError | None = None

    def digest(self) -> bytes:
        """Stands for the reply, down to its last byte."""
        return hashlib.blake2b(self.reply, digest_size=DIGEST_BYTES).digest()


class Strayed(HarnessError):
    """A check asked something else than it did before, on the same replies."""


def _forget(exchange: Exchange, raised: bool) -> None:
    """Nobody records what is said."""


class Conversation:
    """The exchanges of one check.

    `worker` gives the process that holds the code, and starts it if need be. `note` is told each exchange,
    and whether the code raised in it, also of those that are `played` back and reach no worker.
    """

    def __init__(
        self,
        worker: Callable[[], Worker],
        reader: ReplyReader,
        played: Iterable[Exchange] = (),
        note: Callable[[Exchange, bool], None] | None = None,
    ) -> None:
        self._live_worker, self._reader, self._note = worker, reader, note or _forget
        self._worker: Worker | None = None
        self._ahead = deque(played)
        self._has_strayed = False
        self.asked = 0

    @property
    def is_playing(self) -> bool:
        """The next request has been answered already."""
        return bool(self._ahead)

    @property
    def has_strayed(self) -> bool:
        """At the end of a check: it asked something else than what was played back, or less."""
        return self._has_strayed or self.is_playing

    def ask(self, op: str, body: Mapping[str, Any], what: str = "the call") -> Any:
        """Send one request, or find its answer among those that are played back; the value of the reply.

        Raises:
            StudentError: the code raised, ran too long, crashed, or answered with something else.
            Strayed: this is not what is played back.
            HarnessError: our own side failed.
        """
        self.asked += 1
        frame = request_frame(self.asked, op, body)
        exchange = self._play(frame) if self._ahead else self.trade(what, frame)
        try:
            if exchange.error is not None:
                raise exchange.error
            value = (self._worker or self._reader).read(exchange.reply, self.asked)
        except StudentError:
            self._note(exchange, True)
            raise
        self._note(exchange, False)
        return value

    def trade(self, what: str, frame: bytes) -> Exchange:
        """Let the code answer the frame of a request."""
        self._worker = self._live_worker()
        try:
            return Exchange(what, frame, self._worker.trade(frame, what=what))
        except StudentError as err:
            return Exchange(what, frame, error=err)

    def _play(self, frame: bytes) -> Exchange:
        exchange = self._ahead.popleft()
        if exchange.request != frame:
            self._has_strayed = True
            raise Strayed("A check does not ask the same on the same replies.")
        return exchange
