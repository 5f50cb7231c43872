"""Reads found submissions into `load`, straight out of the folder or zip file in which they lie.

Keep one `ClassReader` for a whole class: it reads the list of contents of a zip file once. An open one must
not be used on both sides of a fork, since the processes would share a file position.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from grader.catalog import Assignment
from grader.classroom.records import Entry, Found, Placed
from grader.load import load_files
from grader.load.files import read_regular
from grader.load.names import kind_of
from grader.load.raw import Member, Unreadable
from grader.printable import printable
from grader.records import Note, Submission

_BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, OverflowError,
    NotImplementedError, RuntimeError, MemoryError,
)  # fmt: skip


class ClassReader:
    """Opens each zip file once and closes all at the end of its `with` block."""

    def __init__(self) -> None:
        self._opened: dict[str, zipfile.ZipFile] = {}

    def __enter__(self) -> ClassReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for opened in self._opened.values():
            opened.close()
        self._opened.clear()

    def load(self, found: Found, assignment: Assignment) -> Submission:
        """The submission of one student, with the id and the remarks of its discovery.

        Raises:
            SubmissionError: nothing at all can be read; the student can fix it.
        """
        members = [self._offer(placed) for placed in found.files]
        submission = load_files(members, assignment, submission_id=found.id, root=found.id)
        remarks = tuple(Note(text, audience="staff") for text in found.notes)
        return replace(submission, notes=(*submission.notes, *remarks))

    def read(self, entry: Entry, limit_bytes: int) -> bytes:
        """At most `limit_bytes` of an entry's content.

        Raises:
            Unreadable: it is no plain file, is damaged, or (on disk) is larger than that.
        """
        if entry.problem:
            raise Unreadable(f"`{entry.shown}` {entry.problem}.")
        if entry.member < 0:
            return read_regular(entry.container, entry.shown, limit_bytes, kind_of(entry.parts[-1]))
        try:
            opened = self._open(entry.container)
            with opened.open(opened.infolist()[entry.member]) as stream:
                return stream.read(limit_bytes)
        except _BROKEN as err:
            raise Unreadable(
                f"`{entry.shown}` cannot be unpacked: {printable(str(err), 200, one_line=True)}."
            ) from err

    def _open(self, container: str) -> zipfile.ZipFile:
        if container not in self._opened:
            self._opened[container] = zipfile.ZipFile(Path(container))
        return self._opened[container]

    def _offer(self, placed: Placed) -> Member:
        entry = placed.entry
        folder = "/" if entry.kind in ("empty folder", "not entered") else ""
        return Member(
            name=f"{placed.path}{folder}",
            size=entry.size,
            packed=entry.packed,
            problem=entry.problem,
            read=lambda limit_bytes: self.read(entry, limit_bytes),
        )
