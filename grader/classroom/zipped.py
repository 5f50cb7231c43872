"""Lists a class's zip file and reads single entries of it; nothing is ever unpacked to disk.

One hostile entry must not cost the class: what no honest download contains is listed with its reason and
left out, and the others are read.
"""

from __future__ import annotations

import datetime
import re
import stat
import zipfile
from pathlib import Path

from grader.classroom.records import DiscoveryError, Entry, EntryKind
from grader.load.archive import MAX_RATIO, RATIO_FROM_BYTES, zip_member_name
from grader.printable import printable

MAX_PATH_CHARACTERS = 4096  # longer than any file system's paths
MAX_PARTS = 40  # nested folders and a name
_DRIVE = re.compile(r"^[A-Za-z]:")
_BROKEN = (zipfile.BadZipFile, OSError, ValueError, OverflowError, NotImplementedError, RuntimeError)


def is_zip(path: Path) -> bool:
    """Does the file say that it is a zip file, by its name or its first bytes?"""
    if path.suffix.lower() == ".zip":
        return True
    try:
        with path.open("rb") as handle:
            return handle.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except OSError:
        return False


def list_zip(path: Path, limit: int) -> list[Entry]:
    """Every entry, folders too (as `empty folder`), at most `limit` + 1. Of a repeated name the last counts.

    Raises:
        DiscoveryError: the file is no zip file or is damaged.
    """
    shown = printable(str(path), one_line=True)
    try:
        with zipfile.ZipFile(path) as opened:
            listed = opened.infolist()[: limit + 1]
    except _BROKEN as err:
        raise DiscoveryError(
            f"`{shown}` cannot be read as a zip file: {printable(str(err), 200, one_line=True)}.",
            hint="Download it again and check that it opens.",
        ) from err
    last = {zip_member_name(info): number for number, info in enumerate(listed)}
    entries: list[Entry] = []
    for number, info in enumerate(listed):
        repeated = last[zip_member_name(info)] != number
        entry = _describe(info, number, str(path), repeated)
        if entry is not None:
            entries.append(entry)
    return entries


def _describe(info: zipfile.ZipInfo, number: int, container: str, repeated: bool) -> Entry | None:
    """The entry, or None for the archive's own top folder (`./`)."""
    name = zip_member_name(info).replace("\\", "/")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if not parts and name in ("./", "."):
        return None
    kind: EntryKind = "file"
    if problem := _refusal(name, parts, repeated):
        kind, parts = "refused", (name,)
    elif problem := _problem(info):
        kind = "link" if stat.S_ISLNK(info.external_attr >> 16) else "special"
    elif name.endswith("/"):
        kind, problem = "empty folder", "is an empty folder"
    return Entry(
        parts=parts,
        kind=kind,
        container=container,
        member=number,
        size=info.file_size,
        packed=info.compress_size,
        modified=_modified(info),
        problem=problem,
    )


def _refusal(name: str, parts: tuple[str, ...], repeated: bool) -> str:
    """Why an entry's place cannot be told, as the end of a sentence; empty if it can."""
    if name.startswith("/") or _DRIVE.match(name):
        return "has an absolute path, which no download has"
    if ".." in parts or not parts:
        return "has a path that leaves the archive's folder"
    if len(name) > MAX_PATH_CHARACTERS:
        return "has a name that no file can have"
    if len(parts) > MAX_PARTS:
        return f"lies more than {MAX_PARTS - 1} folders deep"
    if repeated and not name.endswith("/"):
        return "is there more than once under this name; the last one counts"
    return ""


def _problem(info: zipfile.ZipInfo) -> str:
    """Why an entry is no plain file that can be read, as the end of a sentence; empty if it is one."""
    mode = info.external_attr >> 16
    if info.flag_bits & 0x1:
        return "is protected by a password"
    if stat.S_ISLNK(mode):
        return "is a symbolic link, which is not followed"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a special file"
    ratio = info.file_size / max(info.compress_size, 1)
    if info.file_size > RATIO_FROM_BYTES and ratio > MAX_RATIO:
        return (
            f"expands {ratio:.0f} times to {info.file_size // 2**20} MiB; at most {MAX_RATIO} times is read"
        )
    return ""


def _modified(info: zipfile.ZipInfo) -> float:
    try:
        return datetime.datetime(*info.date_time, tzinfo=datetime.timezone.utc).timestamp()
    except ValueError:
        return 0.0  # archives may hold the zero date
