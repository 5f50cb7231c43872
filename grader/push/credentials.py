"""Tokens and keys: from the environment or a file that nobody else can read, and shown by nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from grader.printable import printable
from grader.push.errors import PushError

MAX_BYTES = 64 * 1024
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Secret:
    """A text that is not shown when it is printed or stands in a traceback."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(...)"


def read_secret(what: str, file: Path | None, variable: str, environ: Mapping[str, str]) -> Secret:
    """The secret in `file`, or in the environment variable when no file is named.

    Raises:
        PushError: there is none, or others can read the file.
    """
    text = _read_closed(what, file) if file is not None else environ.get(variable, "")
    if not text.strip():
        raise PushError(
            f"There is no {what}.",
            hint=f"Put it in the variable {variable}, or in a file of mode 0600 that an option names.",
        )
    if not text.isascii() or "\0" in text:
        raise PushError(f"The {what} holds characters that none has.")
    return Secret(text.strip())


def _read_closed(what: str, path: Path) -> str:
    shown = printable(str(path), 300, one_line=True)
    try:
        with path.open("rb") as handle:
            # The open file is asked, not its name: another could take its place in between.
            status = os.fstat(handle.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise PushError(f"`{shown}` is no file.")
            if status.st_mode & 0o077 or status.st_uid not in (os.getuid(), 0):
                raise PushError(
                    f"The {what} in `{shown}` can be read or changed by others (mode "
                    f"{stat.S_IMODE(status.st_mode):04o}).",
                    hint=f"Run `chmod 600 {shown}` as its owner, and think of it as known to them.",
                )
            return handle.read(MAX_BYTES).decode("ascii", "replace")
    except OSError as err:
        raise PushError(f"`{shown}` cannot be read: {err.strerror}.") from err


def check_address(address: str, what: str) -> str:
    """The address without a `/` at its end.

    Raises:
        PushError: it is no web address, or would carry secrets unencrypted to another machine.
    """
    shown = printable(address, 200, one_line=True)
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError as err:
        raise PushError(f"The {what} `{shown}` is no web address.") from err
    if parts.scheme not in ("https", "http") or not host or parts.username or parts.password:
        raise PushError(f"The {what} `{shown}` is no web address.", hint="It starts with https://.")
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise PushError(f"The {what} `{shown}` is not encrypted.", hint="Use its https:// address.")
    return address.rstrip("/")


def same_origin(address: str, other: str) -> bool:
    """Do both lead to the same host and port with the same protocol? Only then may a token go there."""
    one, two = urlsplit(address), urlsplit(other)
    return (one.scheme, one.hostname, one.port) == (two.scheme, two.hostname, two.port)
