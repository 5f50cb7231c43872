"""Collects a submission's files from disk: follows no link, opens nothing that blocks, stays in bounds."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from grader.errors import SubmissionError
from grader.load.archive import expand_archive, looks_like_archive, name_foreign_archive
from grader.load.names import best_tier, ignored_with_note, is_ignored, kind_of, printable
from grader.load.raw import (
    LIMIT_BYTES,
    MAX_ARCHIVE_BYTES,
    MAX_DEPTH,
    MAX_ENTRIES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    Collected,
    Kind,
    RawFile,
    Unreadable,
    too_large,
)
from grader.records import Note


class _Found(NamedTuple):
    """A directory entry: where it is, its printable relative path, and what it is."""

    location: str
    parts: tuple[str, ...]
    what: Literal["file", "link", "folder"]

    @property
    def path(self) -> str:
        return "/".join(printable(part) for part in self.parts)


def collect_files(path: Path, stems: Sequence[str]) -> Collected:
    """Read everything under `path` that may hold code; files named after `stems` come first.

    Raises:
        SubmissionError: `path` is missing, is a link or no file, or is an archive that is refused.
    """
    shown = printable(str(path))
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError) as err:
        raise SubmissionError(
            f"`{shown}` does not exist or cannot be reached.", hint="Check the path's spelling."
        ) from err
    if stat.S_ISLNK(mode):
        raise SubmissionError(
            f"`{shown}` is a symbolic link; expected a file or a folder.",
            hint="Name the file or folder that it points to.",
        )
    if stat.S_ISDIR(mode):
        return _collect_folder(path, stems)
    return _collect_single(path)


def read_regular(location: str, path: str, limit_bytes: int, kind: Kind) -> bytes:
    """The bytes of a regular file with one name.

    Raises:
        Unreadable: it is a link, special, not permitted, or larger than `limit_bytes`.
    """
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(location, flags)
    except OSError as err:
        if err.errno in (errno.ELOOP, errno.EMLINK):
            raise _is_link(path) from err
        raise Unreadable(
            f"`{path}` cannot be opened: {err.strerror}.", hint="Check its permissions."
        ) from err
    with open(descriptor, "rb") as handle:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"`{path}` is not a regular file; expected a file with Python code.")
        if status.st_nlink > 1:
            raise Unreadable(
                f"`{path}` is a hard link to another file; expected a file of its own.",
                hint="Submit a copy of the file.",
            )
        if status.st_size > limit_bytes:
            raise too_large(path, kind)
        try:
            content = handle.read(limit_bytes + 1)
        except OSError as err:
            raise Unreadable(f"`{path}` cannot be read: {err.strerror}.") from err
    if len(content) > limit_bytes:
        raise too_large(path, kind)
    return content


def _is_link(path: str) -> Unreadable:
    return Unreadable(
        f"`{path}` is a symbolic link, which is not followed; expected a file of its own.",
        hint="Submit the file that it points to.",
    )


def _collect_single(path: Path) -> Collected:
    shown = printable(path.name)
    kind = kind_of(path.name)
    limit_bytes = MAX_ARCHIVE_BYTES if kind == "other" else LIMIT_BYTES[kind]
    try:
        content = read_regular(str(path), shown, limit_bytes, kind)
    except Unreadable as err:
        raise SubmissionError(err.message, hint=err.hint) from err
    if kind == "archive" or looks_like_archive(content):
        try:
            return expand_archive(RawFile(shown, "archive", content), prefix="")
        except Unreadable as err:
            raise SubmissionError(err.message, hint=err.hint) from err
    if kind == "other":
        foreign = name_foreign_archive(content)
        raise SubmissionError(
            f"`{shown}` is {foreign or 'not a Python file, a notebook or an archive'}; "
            "expected .py, .ipynb, .zip or .tar.",
            hint="Pack the files as a zip."
            if foreign
            else "Name the file or folder that holds your answers.",
        )
    return Collected((RawFile(shown, kind, content),), (), ())


def _collect_folder(root: Path, stems: Sequence[str]) -> Collected:
    try:
        found = list(islice(_walk(str(root)), MAX_ENTRIES))
    except OSError as err:
        raise SubmissionError(f"`{printable(str(root))}` cannot be listed: {err.strerror}.") from err
    notes, others, wanted = _sort_out(found)
    if len(found) == MAX_ENTRIES:
        notes.append(Note(f"Only the first {MAX_ENTRIES} entries of the folder were looked at."))
    wanted.sort(key=lambda item: (best_tier(item.path, stems), len(item.parts), item.parts))
    if len(wanted) > MAX_FILES:
        notes.append(Note(f"Only {MAX_FILES} of {len(wanted)} files with code were read."))
    files: list[RawFile] = []
    total_bytes = 0
    for item in wanted[:MAX_FILES]:
        raw = _read_found(item)
        total_bytes += len(raw.content)
        if total_bytes > MAX_TOTAL_BYTES:
            notes.append(Note(f"The rest was not read: over {MAX_TOTAL_BYTES // 2**20} MiB.", path=raw.path))
            break
        if raw.kind != "archive" or raw.refusal:
            files.append(raw)
            continue
        inner = _expand_beside(raw)
        total_bytes += sum(len(member.content) for member in inner.files)
        files += inner.files
        notes += inner.notes
        others += inner.others
    return Collected(tuple(files), tuple(notes), tuple(others))


def _sort_out(found: Sequence[_Found]) -> tuple[list[Note], list[str], list[_Found]]:
    """Remarks, names of files without code, and the entries to read."""
    notes: list[Note] = []
    others: list[str] = []
    wanted: list[_Found] = []
    for item in found:
        kind = kind_of(item.parts[-1])
        if kind == "other":
            if item.what == "link":
                notes.append(Note(f"`{item.path}` is a symbolic link and was not followed.", path=item.path))
            else:
                others.append(item.path)
        elif reason := ignored_with_note(item.parts):
            notes.append(Note(f"`{item.path}` was not read: {reason}.", path=item.path))
        else:
            wanted.append(item)
    return notes, others, wanted


def _read_found(item: _Found) -> RawFile:
    kind = kind_of(item.parts[-1])
    try:
        if item.what == "link":
            raise _is_link(item.path)
        if item.what == "folder":
            raise Unreadable(f"`{item.path}` is a folder; expected a regular file with Python code.")
        return RawFile(item.path, kind, read_regular(item.location, item.path, LIMIT_BYTES[kind], kind))
    except Unreadable as err:
        return RawFile(item.path, kind, refusal=err)


def _expand_beside(raw: RawFile) -> Collected:
    """An archive among other files: if it is refused, the others still count."""
    try:
        return expand_archive(raw, prefix=f"{raw.path}/")
    except Unreadable as err:
        return Collected((RawFile(raw.path, "archive", raw.content, refusal=err),), (), ())


def _walk(root: str) -> Iterator[_Found]:
    """Every entry below `root` in a fixed order, folders before what lies in them, links as themselves."""
    waiting: list[tuple[str, tuple[str, ...]]] = [(root, ())]
    while waiting:
        folder, parts = waiting.pop()
        try:
            with os.scandir(folder) as scan:
                entries = sorted(islice(scan, MAX_ENTRIES), key=lambda entry: entry.name)
        except OSError:
            if not parts:
                raise
            yield _Found(folder, parts, "link")  # listed like a link: seen, and not entered
            continue
        if parts and any(entry.name == "pyvenv.cfg" for entry in entries):
            continue
        for entry in entries:
            inner = (*parts, entry.name)
            if is_ignored(entry.name):
                continue
            if entry.is_symlink():
                yield _Found(entry.path, inner, "link")
            elif not entry.is_dir(follow_symlinks=False):
                yield _Found(entry.path, inner, "file")
            elif kind_of(entry.name) != "other":
                yield _Found(entry.path, inner, "folder")
            elif len(inner) < MAX_DEPTH:
                waiting.append((entry.path, inner))
