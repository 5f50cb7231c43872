"""Reads zip and tar archives in memory. Everything is checked first and nothing is ever written to disk.

Both kinds become a list of members; one set of rules then decides. What no honest archive contains (paths
that leave the folder, one name twice, a bomb, a password) refuses the whole archive; a link or an oversized
file is refused alone. An archive inside an archive is read, one inside that is not.
"""

from __future__ import annotations

import bz2
import io
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import Protocol

from grader.load.names import ignored_with_note, is_ignored, kind_of, printable
from grader.load.raw import (
    LIMIT_BYTES,
    MAX_ARCHIVE_BYTES,
    MAX_ENTRIES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    Collected,
    Member,
    RawFile,
    Unreadable,
    too_large,
)
from grader.records import Note

MAX_RATIO = 200  # expanded to packed bytes; text rarely passes 30
RATIO_FROM_BYTES = 1024 * 1024  # below this size a high ratio harms nobody
MAX_NAME_CHARACTERS = 4096
MAX_XZ_MEMORY_BYTES = 128 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
_DRIVE = re.compile(r"^[A-Za-z]:")
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError,
    OverflowError, NotImplementedError, RuntimeError, MemoryError,
)  # fmt: skip


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


def looks_like_archive(content: bytes) -> bool:
    """Does the content start like a zip, tar, gz, bz2 or xz file?"""
    return content.startswith((b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")) or (
        content[257:262] == b"ustar"
    )


def name_foreign_archive(content: bytes) -> str:
    """What an archive of a kind that is not read is called, with its article; empty for anything else."""
    if content.startswith(b"Rar!"):
        return "a RAR archive"
    return "a 7z archive" if content.startswith(b"7z\xbc\xaf\x27\x1c") else ""


def expand_archive(archive: RawFile, *, prefix: str, depth: int = 0) -> Collected:
    """The files with code in an archive; their paths start with `prefix`.

    Raises:
        Unreadable: the archive is corrupt or is refused as a whole.
    """
    members = _list_members(archive)
    _refuse_hostile(archive.path, members)
    return collect_members(members, archive.path, prefix=prefix, depth=depth)


def collect_members(members: Sequence[Member], holder: str, *, prefix: str, depth: int) -> Collected:
    """The files with code among `members`, which passed the rules for their `holder` (its name in messages).

    `depth` counts the archives around them; -1 when they lie in none.
    """
    files: list[RawFile] = []
    notes: list[Note] = []
    others: list[str] = []
    total_bytes = 0
    for member in members:
        parts = tuple(part for part in member.name.split("/") if part not in ("", "."))
        if not parts or member.name.endswith("/") or any(is_ignored(part) for part in parts):
            continue
        path = prefix + "/".join(printable(part) for part in parts)
        if kind_of(parts[-1]) == "other":
            others.append(path)
        elif reason := ignored_with_note(parts):
            notes.append(Note(f"`{path}` was not read: {reason}.", path=path))
        elif len(files) >= MAX_FILES or total_bytes > MAX_TOTAL_BYTES:
            notes.append(Note(f"`{holder}` holds more files than are read.", path=prefix.rstrip("/")))
            break
        else:
            inner = _read_member(member, path, depth)
            total_bytes += sum(len(raw.content) for raw in inner.files)
            files += inner.files
            notes += inner.notes
            others += inner.others
    return Collected(tuple(files), tuple(notes), tuple(others))


def _read_member(member: Member, path: str, depth: int) -> Collected:
    kind = kind_of(member.name)
    content = b""
    try:
        if member.problem:
            raise Unreadable(f"`{path}` {member.problem}; expected a plain file.")
        if kind == "archive" and depth >= 1:
            raise Unreadable(
                f"`{path}` is an archive in an archive in an archive; at most two levels are read.",
                hint="Pack the files themselves.",
            )
        limit_bytes = LIMIT_BYTES[kind]
        if member.size > limit_bytes:
            raise too_large(path, kind)
        try:
            content = member.read(limit_bytes + 1)
        except _BROKEN as err:
            raise Unreadable(f"`{path}` cannot be unpacked: {printable(str(err))}.") from err
        if len(content) > limit_bytes:
            content = b""
            raise too_large(path, kind)
        raw = RawFile(path, kind, content)
        if kind == "archive":
            return expand_archive(raw, prefix=f"{path}/", depth=depth + 1)
    except Unreadable as err:
        raw = RawFile(path, kind, content, refusal=err)
    return Collected((raw,), (), ())


def _refuse_hostile(path: str, members: list[Member]) -> None:
    if len(members) > MAX_ENTRIES:
        raise Unreadable(
            f"`{path}` holds more than {MAX_ENTRIES} entries.",
            hint="Pack only your own files, without environments and data.",
        )
    seen: set[str] = set()
    for member in members:
        shown = printable(member.name)
        if len(member.name) > MAX_NAME_CHARACTERS:
            raise Unreadable(f"`{path}` is refused: it holds a name of {len(member.name)} characters.")
        if member.name.startswith("/") or _DRIVE.match(member.name):
            raise Unreadable(f"`{path}` is refused: `{shown}` is an absolute path; expected relative ones.")
        if ".." in member.name.split("/"):
            raise Unreadable(f"`{path}` is refused: `{shown}` leaves the archive's folder.")
        if member.name in seen and not member.name.endswith("/"):
            raise Unreadable(
                f"`{path}` is refused: it holds `{shown}` more than once, so it is unclear which one counts.",
                hint="Pack every file once.",
            )
        seen.add(member.name)
        ratio = member.size / max(member.packed or member.size, 1)
        if member.size > RATIO_FROM_BYTES and (ratio > MAX_RATIO or member.size > 2**40):
            raise Unreadable(
                f"`{path}` is refused: `{shown}` expands {ratio:.0f} times to {member.size // 2**20} MiB; "
                f"at most {MAX_RATIO} times is accepted."
            )


def _list_members(archive: RawFile) -> list[Member]:
    content = archive.content
    foreign = name_foreign_archive(content)
    if foreign:
        raise Unreadable(
            f"`{archive.path}` is {foreign}; expected zip or tar.", hint="Pack the files as a zip."
        )
    try:
        if content.startswith(b"PK"):
            return _zip_members(archive.path, content)
        return _tar_members(_decompress(archive.path, content))
    except _BROKEN as err:
        raise Unreadable(
            f"`{archive.path}` is damaged or was not uploaded completely.",
            hint="Pack it again as a zip and check that it opens.",
        ) from err


def _zip_members(path: str, content: bytes) -> list[Member]:
    opened = zipfile.ZipFile(io.BytesIO(content))
    members: list[Member] = []
    for entry in opened.infolist():
        if entry.flag_bits & 0x1:
            raise Unreadable(
                f"`{path}` is protected by a password, so it cannot be read.",
                hint="Pack it without a password.",
            )
        mode = entry.external_attr >> 16
        special = stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR)
        problem = "is a symbolic link" if stat.S_ISLNK(mode) else "is a special file" if special else ""

        def read(limit_bytes: int, entry: zipfile.ZipInfo = entry) -> bytes:
            with opened.open(entry) as stream:
                return stream.read(limit_bytes)

        name = zip_member_name(entry).replace("\\", "/")
        members.append(Member(name, entry.file_size, entry.compress_size, problem, read))
    return members


def zip_member_name(entry: zipfile.ZipInfo) -> str:
    """The member's name; old Windows and macOS tools store UTF-8 or GBK without saying so."""
    if entry.flag_bits & 0x800 or entry.filename.isascii():
        return entry.filename
    for encoding in ("utf-8", "gbk"):
        try:
            return entry.filename.encode("cp437").decode(encoding)
        except UnicodeError:
            continue
    return entry.filename


def _tar_members(content: bytes) -> list[Member]:
    opened = tarfile.open(fileobj=io.BytesIO(content), mode="r:")  # noqa: SIM115  # read from later
    members: list[Member] = []
    for entry in opened:
        if entry.isdir():
            problem, name = "", f"{entry.name}/"
        else:
            name = entry.name
            linked = "is a symbolic link" if entry.issym() else "is a hard link" if entry.islnk() else ""
            problem = linked or ("" if entry.isreg() else "is a special file")

        def read(limit_bytes: int, entry: tarfile.TarInfo = entry) -> bytes:
            stream = opened.extractfile(entry)
            return stream.read(limit_bytes) if stream else b""

        members.append(Member(name, entry.size, None, problem, read))
        if len(members) > MAX_ENTRIES:
            break
    return members


def _decompress(path: str, content: bytes) -> bytes:
    """The tar file inside gz, bz2 or xz; a plain tar file as it is."""
    make: Callable[[], _Decompressor]
    if content.startswith(b"\x1f\x8b"):
        make = _GzipDecompressor
    elif content.startswith(b"BZh"):
        make = bz2.BZ2Decompressor
    elif content.startswith(b"\xfd7zXZ\x00"):
        make = _make_xz
    else:
        return content
    parts: list[bytes] = []
    total_bytes = 0
    rest = content
    while rest:
        stream, pending = make(), rest
        while not stream.eof:
            part = stream.decompress(pending, _CHUNK_BYTES)
            pending = b""
            if not part and not stream.eof:
                raise EOFError("the compressed file ends too early")
            parts.append(part)
            total_bytes += len(part)
            if total_bytes > MAX_ARCHIVE_BYTES:
                raise Unreadable(
                    f"`{path}` is refused: it expands to more than {MAX_ARCHIVE_BYTES // 2**20} MiB.",
                    hint="Pack only your own files, without environments and data.",
                )
        rest = stream.unused_data.lstrip(b"\0")
    return b"".join(parts)


def _make_xz() -> _Decompressor:
    return lzma.LZMADecompressor(memlimit=MAX_XZ_MEMORY_BYTES)


class _GzipDecompressor:
    """zlib's object with the interface of the other two: it keeps its own unread input."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)
        self._waiting = b""

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes:
        part = self._stream.decompress(self._waiting + data, max_length)
        self._waiting = self._stream.unconsumed_tail
        return part
