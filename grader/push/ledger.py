"""The ledger: a line per thing that is about to be sent, was sent, or was refused; in DIR/push/.

A line is on disk before anything is sent, so that a run that is killed in between leaves behind that one
student's state is not known: the next run asks the platform before it sends again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Literal

from grader.printable import printable
from grader.push.errors import PushError

FOLDER = "push"
State = Literal["begun", "sent", "dropped"]


@dataclass(frozen=True)
class Entry:
    """What a student has on the platform once this is sent.

    `grade` is as it was written, `comment` a hash of comment and file (empty: none). `mark` stands in the
    comment and is found there again. `stamp` is the score's time in ISO 8601 where the platform orders by it.
    """

    grade: str
    comment: str = ""
    mark: str = ""
    stamp: str = ""


class Ledger:
    """What is known of one destination (a text that names platform and assignment)."""

    def __init__(self, path: Path, destination: str) -> None:
        self.path = path
        self.destination = destination
        self._sent: dict[str, Entry] = {}
        self._begun: dict[str, Entry] = {}
        self._handle: IO[bytes] | None = None
        self._read()

    def sent(self, user: str) -> Entry | None:
        """What the user has for certain; None if nothing was sent."""
        return self._sent.get(user)

    def begun(self, user: str) -> Entry | None:
        """What may have arrived or not; None if nothing is in doubt."""
        return self._begun.get(user)

    def note(self, user: str, state: State, entry: Entry) -> None:
        """Write a line, on disk when this returns. Only while the ledger is open."""
        if self._handle is None:
            raise PushError("The ledger is not open.")
        record = {
            "to": self.destination,
            "user": user,
            "state": state,
            **asdict(entry),
            "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        self._handle.write(json.dumps(record).encode() + b"\n")
        self._handle.flush()
        os.fsync(self._handle.fileno())
        self._take(user, state, entry)

    @contextmanager
    def open(self) -> Iterator[None]:
        """Hold the ledger for writing.

        Raises:
            PushError: another process holds it, or it cannot be written.
        """
        shown = printable(str(self.path), one_line=True)
        try:
            self.path.parent.mkdir(exist_ok=True)
            handle = self.path.open("ab")
        except OSError as err:
            raise PushError(f"`{shown}` cannot be written: {err.strerror}.") from err
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as err:
                raise PushError("Another `grade push` is at work here.", hint="Wait for it.") from err
            content = self._read()
            if content and not content.endswith(b"\n"):
                handle.write(b"\n")  # the rest of a line that a killed run left
            self._handle = handle
            try:
                yield
            finally:
                self._handle = None

    def _read(self) -> bytes:
        self._sent, self._begun = {}, {}
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as err:
            raise PushError(f"`{self.path}` cannot be read: {err.strerror}.") from err
        for line in content.splitlines():
            try:
                record = json.loads(line)
                if record.pop("to") == self.destination:
                    user, state = record.pop("user"), record.pop("state")
                    record.pop("at")
                    self._take(user, state, Entry(**record))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # a line cut off by a kill was not followed by anything that was sent
        return content

    def _take(self, user: str, state: State, entry: Entry) -> None:
        if state == "begun":
            self._begun[user] = entry
            return
        self._begun.pop(user, None)
        if state == "sent":
            self._sent[user] = entry
