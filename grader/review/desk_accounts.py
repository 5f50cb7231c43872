"""Named accounts of TAs: who may come in, and their passwords as argon2id hashes, in a file of the folder.

How often somebody may try is decided where they try.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from grader.printable import printable
from grader.review.desk_records import DeskError

FILE_NAME = "review-accounts.json"
LEAST_PASSWORD, MOST_PASSWORD = 10, 1000  # characters
MAX_NAME = 64
_NAME = re.compile(r"\w[\w.@+-]*")
_MAX_BYTES = 1024 * 1024


class AccountError(DeskError):
    """An account cannot be made, changed or read; nothing was written."""


@dataclass(frozen=True)
class Accounts:
    """The accounts in the file `path`; no file: no accounts. Names differ in more than their case."""

    path: Path

    @classmethod
    def in_folder(cls, folder: Path) -> Accounts:
        return cls(folder / FILE_NAME)

    def names(self) -> tuple[str, ...]:
        """All accounts, sorted.

        Raises:
            AccountError: the file cannot be read, or others can.
        """
        return tuple(sorted(self._read()))

    def add(self, name: str, password: str) -> None:
        """A new account.

        Raises:
            AccountError: there is one of that name, or name or password cannot be used.
        """
        if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
            raise AccountError(
                f"`{_shown(name)}` cannot be the name of an account.",
                hint=f"At most {MAX_NAME} letters, digits and . @ + - _, a letter or digit first.",
            )
        made = _hashed(password)
        with self._changing() as accounts:
            if name.casefold() in (known.casefold() for known in accounts):
                raise AccountError(f"There is an account `{name}` already.")
            accounts[name] = made

    def set_password(self, name: str, password: str) -> None:
        """Another password for an account.

        Raises:
            AccountError: there is no such account, or the password cannot be used.
        """
        made = _hashed(password)
        with self._changing() as accounts:
            _check_known(name, accounts)
            accounts[name] = made

    def remove(self, name: str) -> None:
        """Take an account away; what was done with it stays.

        Raises:
            AccountError: there is none of that name.
        """
        with self._changing() as accounts:
            _check_known(name, accounts)
            del accounts[name]

    def check(self, name: str, password: str) -> bool:
        """Do they belong together? Takes the same work whether there is such an account or not."""
        stored = self._read().get(name)
        tried = password[:MOST_PASSWORD].encode("utf-8", "surrogatepass")
        try:
            is_right = PasswordHasher().verify(stored or _nobodys(), tried)
        except (VerificationError, InvalidHashError):
            return False
        return is_right and stored is not None and len(password) <= MOST_PASSWORD

    def _read(self) -> dict[str, str]:
        try:
            with self.path.open("rb") as handle:
                status = os.fstat(handle.fileno())
                if status.st_mode & 0o077 or status.st_uid not in (os.getuid(), 0):
                    raise AccountError(
                        f"`{_shown(str(self.path))}` can be read or changed by others "
                        f"(mode {stat.S_IMODE(status.st_mode):04o}).",
                        hint="Run `chmod 600` on it as its owner, and give everybody a new password.",
                    )
                accounts = json.loads(handle.read(_MAX_BYTES))["accounts"]
            return {str(name): str(made) for name, made in accounts.items()}
        except FileNotFoundError:
            return {}
        except OSError as err:
            raise AccountError(f"`{_shown(str(self.path))}` cannot be read: {err.strerror}.") from err
        except (ValueError, KeyError, TypeError, AttributeError) as err:
            raise AccountError(f"`{_shown(str(self.path))}` is not a file of accounts.") from err

    @contextmanager
    def _changing(self) -> Iterator[dict[str, str]]:
        """The accounts to change; written in one step at the end, by one at a time."""
        try:
            with self.path.with_name(f".{self.path.name}.lock").open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                accounts = self._read()
                yield accounts
                self._write(accounts)
        except OSError as err:
            raise AccountError(f"`{_shown(str(self.path))}` cannot be written: {err.strerror}.") from err

    def _write(self, accounts: Mapping[str, str]) -> None:
        text = json.dumps({"format": 1, "accounts": dict(sorted(accounts.items()))}, indent=2) + "\n"
        temporary = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}.part")
        try:
            # Never readable by others, not even for a moment.
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
                handle.write(text)
                handle.flush()
                os.fsync(handle.fileno())
            os.replace(temporary, self.path)
        finally:
            temporary.unlink(missing_ok=True)


@cache
def _nobodys() -> str:
    """Of a password that nobody knows: whoever names no account waits as long as everybody else."""
    return PasswordHasher().hash(secrets.token_hex(32))


def _hashed(password: str) -> str:
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise AccountError(
            f"A password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters; this one has {len(password)}."
        )
    try:
        return PasswordHasher().hash(password)
    except UnicodeEncodeError as err:
        raise AccountError("The password holds characters that cannot be stored.") from err


def _check_known(name: str, accounts: Mapping[str, str]) -> None:
    if name not in accounts:
        raise AccountError(
            f"There is no account `{_shown(name)}`.",
            hint=f"There are: {', '.join(sorted(accounts)) or 'none'}.",
        )


def _shown(text: str) -> str:
    return printable(text, 200, one_line=True)
