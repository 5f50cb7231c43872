"""What lies in a submission before anything is parsed: files with their bytes, and why some have none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from grader.errors import GraderError
from grader.records import Note

Kind = Literal["script", "notebook", "archive", "other"]

MAX_SOURCE_BYTES = 512 * 1024  # Python text, of a script or of all cells of a notebook
MAX_NOTEBOOK_BYTES = 20 * 1024 * 1024  # a notebook carries its pictures
MAX_ARCHIVE_BYTES = 64 * 1024 * 1024
MAX_TOTAL_BYTES = 128 * 1024 * 1024  # of everything read from one submission
MAX_TOTAL_SOURCE_BYTES = 2 * 1024 * 1024  # bounds the time spent on parsing
MAX_FILES = 400  # scripts and notebooks read from one submission
MAX_ENTRIES = 20_000  # directory or archive entries looked at
MAX_DEPTH = 24  # nested folders

LIMIT_BYTES: dict[Kind, int] = {
    "script": MAX_SOURCE_BYTES,
    "notebook": MAX_NOTEBOOK_BYTES,
    "archive": MAX_ARCHIVE_BYTES,
    "other": MAX_SOURCE_BYTES,
}


class Unreadable(GraderError):
    """One file of a submission cannot be read; the others can. Becomes a problem of its exercise."""


@dataclass(frozen=True)
class RawFile:
    """One file found. `path` is relative, posix and printable; `refusal` says why `content` is empty."""

    path: str
    kind: Kind
    content: bytes = b""
    refusal: Unreadable | None = None

    @property
    def depth(self) -> int:
        """How many folders (or archives) the file lies in."""
        return self.path.count("/")


@dataclass(frozen=True)
class Member:
    """A file that is known by name and can be read on demand: of an archive, or of a class's download.

    `read(n)` gives at most `n` bytes. `packed` is its size in the archive in bytes, where that is known;
    `problem` says why it is not a plain file, as the end of a sentence, and is empty if it is one.
    """

    name: str
    size: int
    packed: int | None
    problem: str
    read: Callable[[int], bytes]


class Collected(NamedTuple):
    """All files of a submission that may hold code, remarks, and the names of what was not looked at."""

    files: tuple[RawFile, ...]
    notes: tuple[Note, ...]
    others: tuple[str, ...]


def too_large(path: str, kind: Kind) -> Unreadable:
    """The refusal for a file over the limit of its kind."""
    limit = LIMIT_BYTES[kind]
    shown = f"{limit // 1024} KiB" if limit < 1024 * 1024 else f"{limit // (1024 * 1024)} MiB"
    return Unreadable(
        f"`{path}` is larger than {shown}, the most that is read of such a file.",
        hint="Leave large outputs and literal tables out of the file.",
    )
