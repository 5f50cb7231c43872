"""What a check asks the student's code and what it hears, exchange by exchange.

A check sees nothing of a submission but these replies, and its inputs come from the run's seed. So the same
replies give the same verdict: a `Step` holds what a check is known to ask next, by the reply that it got, and
a `Pass` what came of it. Whoever follows known steps to a pass need not run the check; the code is asked
exactly what the check would have asked. At the first reply that is new the check runs, and what was already
said is played back to it, so that no request reaches the code twice.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Pass:
    """What a check that passed put on record."""

    record: Mapping[str, Any]


@dataclass
class Step:
    """What a check asks at one point, and where each reply that is known leads, by its digest."""

    what: str
    request: bytes
    after: dict[bytes, Step | Pass] = field(default_factory=dict)


class Unsteady(HarnessError):
    """A check asked something else than it did before, on the same replies: it can only be run."""


class Conversation:
    """The exchanges of one check. `worker` gives the process that holds the code, and starts one if need."""

    def __init__(
        self, worker: Callable[[], Worker], reader: ReplyReader, played: Iterable[Exchange] = ()
    ) -> None:
        self._live_worker, self._reader = worker, reader
        self._worker: Worker | None = None
        self._ahead = deque(played)
        self.exchanges: list[Exchange] = []
        self.is_steady = True
        self._has_strayed = False

    @property
    def is_playing(self) -> bool:
        """The next request has been answered already."""
        return bool(self._ahead)

    @property
    def has_diverged(self) -> bool:
        """At the end of a check: it asked something else than it did before, or less."""
        return self._has_strayed or self.is_playing

    def ask(self, op: str, body: Mapping[str, Any], what: str = "the call") -> Any:
        """Send one request, or find its answer among those that are played back; the value of the reply.

        Raises:
            StudentError: the code raised, ran too long, crashed, or answered with something else.
            Unsteady: this is not what is played back.
            HarnessError: our own side failed.
        """
        number = len(self.exchanges) + 1
        frame = request_frame(number, op, body)
        exchange = self._play(frame) if self._ahead else self._trade(what, frame)
        self.exchanges.append(exchange)
        if exchange.error is not None:
            raise exchange.error
        return (self._worker or self._reader).read(exchange.reply, number)

    def follow(self, step: Step) -> Pass | None:
        """Ask what is known, as far as it is; where that ends, the check has to run and go on from there."""
        at: Step | Pass | None = step
        while isinstance(at, Step):
            exchange = self._trade(at.what, at.request)
            self._ahead.append(exchange)
            at = None if exchange.error else at.after.get(exchange.digest())
        if at is not None:
            self.exchanges = list(self._ahead)
            self._ahead.clear()
        return at

    def _play(self, frame: bytes) -> Exchange:
        exchange = self._ahead.popleft()
        if exchange.request != frame:
            self._has_strayed = True
            raise Unsteady("A check does not ask the same on the same replies; it is run without its memory.")
        return exchange

    def _trade(self, what: str, frame: bytes) -> Exchange:
        worker = self._live_worker()
        # Another process has not seen what the one before it was asked.
        self.is_steady = self.is_steady and self._worker in (None, worker)
        self._worker = worker
        try:
            return Exchange(what, frame, worker.trade(frame, what=what))
        except StudentError as err:
            return Exchange(what, frame, error=err)
        except HarnessError:
            self.is_steady = False  # nobody knows whether the code was asked
            raise
