"""Who is looking: sessions that live as long as the server, and the pace at which passwords may be tried."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

IDLE_S = 12 * 3600.0
MOST_SESSIONS = 1000
TOKEN_BYTES = 32

Clock = Callable[[], float]


@dataclass(frozen=True)
class Visitor:
    """A session: the name under which changes are kept, and the token that its forms carry."""

    name: str
    csrf: str

    def sent(self, token: str) -> bool:
        """Is this the token of the session's own forms?"""
        return hmac.compare_digest(self.csrf.encode(), token.encode())


@dataclass
class Sessions:
    """Sessions by the secret in their cookie, the one used longest ago first."""

    clock: Clock = time.monotonic
    _open: dict[str, tuple[Visitor, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, name: str) -> str:
        """A new session of this name; the answer goes into the cookie."""
        secret = secrets.token_urlsafe(TOKEN_BYTES)
        with self._lock:
            while len(self._open) >= MOST_SESSIONS:
                del self._open[next(iter(self._open))]
            self._open[secret] = (Visitor(name, secrets.token_urlsafe(TOKEN_BYTES)), self.clock())
        return secret

    def find(self, secret: str) -> Visitor | None:
        """The session of this cookie, which is used now; None if there is none or it was idle too long."""
        with self._lock:
            visitor, used = self._open.pop(secret, (None, 0.0))
            if visitor is None or self.clock() - used > IDLE_S:
                return None
            self._open[secret] = (visitor, self.clock())
            return visitor

    def end(self, secret: str) -> None:
        with self._lock:
            self._open.pop(secret, None)


TRIES = 5
TURN_S = 5.0  # that somebody waits while others' passwords are checked
WAIT_S = 60.0
LONGEST_WAIT_S = 900.0
MOST_NAMES = 10_000


@dataclass
class Tries:
    """Wrong passwords by account: after some, each further one makes the next wait twice as long.

    `turn` is held while a password is checked: that costs much memory by intent, so one at a time.
    """

    clock: Clock = time.monotonic
    turn: threading.Lock = field(default_factory=threading.Lock)
    _wrong: dict[str, tuple[int, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait_s(self, name: str) -> float:
        """Seconds until this account may try again, 0 if it may now."""
        with self._lock:
            count, last = self._wrong.get(name, (0, 0.0))
            if count < TRIES:
                return 0.0
            pause = min(WAIT_S * 2.0 ** min(count - TRIES, 10), LONGEST_WAIT_S)
            return max(0.0, last + pause - self.clock())

    def failed(self, name: str) -> None:
        with self._lock:
            count, _ = self._wrong.pop(name, (0, 0.0))
            while len(self._wrong) >= MOST_NAMES:
                del self._wrong[next(iter(self._wrong))]
            self._wrong[name] = (count + 1, self.clock())

    def succeeded(self, name: str) -> None:
        with self._lock:
            self._wrong.pop(name, None)
