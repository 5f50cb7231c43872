"""Single keys from a terminal, or lines from a pipe, as words for the loop.

The terminal gives us each key at once and shows none; however we end, it is put back as it was.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
import tty
from types import FrameType, TracebackType
from typing import Any

from grader.practice.mailbox import Closed, Key, Mailbox

AGAIN, QUIT = "r", "q"
_SPECIAL = {"\n": AGAIN, "\r": AGAIN, "\x04": QUIT}  # Enter, and Ctrl-D
_ESCAPE = b"\x1b"


class Keyboard:
    """A context manager around standard input; `is_terminal` says that keys come one by one."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._fd = _standard_input()
        self.is_terminal = self._fd is not None and os.isatty(self._fd) and _is_in_front(self._fd)
        # In the background of a shell a terminal must not be read: the kernel would stop us.
        self._is_read = self._fd is not None and (self.is_terminal or not os.isatty(self._fd))
        self._before: list[Any] = []
        self._wake, self._waker = os.pipe()
        self._thread = threading.Thread(target=self._run, name="keys", daemon=True)
        self._continued: Any = None

    def __enter__(self) -> Keyboard:
        if self.is_terminal:
            assert self._fd is not None
            self._before = termios.tcgetattr(self._fd)
            self._take_keys()
            self._continued = signal.signal(signal.SIGCONT, self._go_on)
        if self._is_read:
            self._thread.start()
        elif self._fd is None:
            self._mailbox.put(Closed())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._waker)
        if self._is_read:
            self._thread.join(5.0)
        os.close(self._wake)
        if self.is_terminal:
            signal.signal(signal.SIGCONT, self._continued)
            assert self._fd is not None
            with contextlib.suppress(termios.error):  # the terminal has gone
                termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    def _take_keys(self) -> None:
        assert self._fd is not None
        with contextlib.suppress(termios.error):
            tty.setcbreak(self._fd, termios.TCSADRAIN)

    def _go_on(self, signum: int, frame: FrameType | None) -> None:
        """After Ctrl-Z and `fg` the shell has set the terminal its own way."""
        self._take_keys()

    def _run(self) -> None:
        assert self._fd is not None
        pending = b""
        while True:
            if self._wake in select.select([self._fd, self._wake], [], [])[0]:
                return
            try:
                part = os.read(self._fd, 1024)
            except OSError:  # the terminal has gone
                part = b""
            if not part:
                self._mailbox.put(Closed())
                return
            if self.is_terminal:
                self._press(part)
            else:
                *lines, pending = (pending + part).split(b"\n")
                for line in lines:
                    self._press(line.strip()[:1] or b"\n")

    def _press(self, part: bytes) -> None:
        if part.startswith(_ESCAPE):  # an arrow or a function key
            return
        for char in part.decode("utf-8", "replace"):
            self._mailbox.put(Key(_SPECIAL.get(char, char.lower())))


def _standard_input() -> int | None:
    try:
        return sys.stdin.fileno()
    except (AttributeError, ValueError, OSError):  # closed before we were started
        return None


def _is_in_front(fd: int) -> bool:
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:  # not the terminal of our session: nobody is stopped for reading it
        return True
