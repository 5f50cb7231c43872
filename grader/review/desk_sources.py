"""What a student handed in, read again from where it lies, and whether it is still what was graded."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.catalog import Assignment, find_assignment
from grader.classroom.batch import find_class
from grader.classroom.folder import BatchSettings
from grader.classroom.reading import ClassReader
from grader.classroom.records import Found
from grader.errors import GraderError
from grader.load.raw import MAX_ARCHIVE_BYTES, MAX_SOURCE_BYTES, Unreadable
from grader.records import SourceText, Submission
from grader.report.schema import Report
from grader.review.desk_records import Download, SourceFile, Sources

# Looking through a class's folder takes a moment; what a known file holds is read each time.
KEPT_S = 60.0
_MISSING = "The submission is no longer where it was handed in."


@dataclass
class SourceReader:
    """Knows where the submissions of a batch lie. May be used by several threads."""

    settings: BatchSettings
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _found: Mapping[str, Found] = field(default_factory=dict)
    _signature: object = None
    _looked_at: float = 0.0

    def sources(self, submission: str, report: Report | None) -> Sources:
        """The files with their code; where nothing can be read, those of the report without it."""
        try:
            assignment = find_assignment(self.settings.assignment_root)
            found = self._find(submission, assignment)
            if found is None:
                return Sources(tuple(_gone(report, set())), _MISSING)
            with ClassReader() as reader:
                return _sources(reader, found, assignment, report)
        except GraderError as err:
            return Sources(tuple(_gone(report, set())), f"{err.message} {err.hint}".strip())

    def download(self, submission: str) -> tuple[Download, ...]:
        """The files as they were handed in; those that cannot be read are left out.

        Raises:
            GraderError: the class's input cannot be read.
        """
        found = self._find(submission, find_assignment(self.settings.assignment_root))
        with ClassReader() as reader:
            return tuple(_downloads(reader, found)) if found is not None else ()

    def _find(self, submission: str, assignment: Assignment) -> Found | None:
        with self._lock:
            signature = [_signature(Path(path)) for path in self.settings.paths]
            is_old = time.monotonic() - self._looked_at > KEPT_S
            if is_old or signature != self._signature:
                self._found = {one.id: one for one in find_class(self.settings, assignment).found}
                self._signature, self._looked_at = signature, time.monotonic()
            return self._found.get(submission)


def _signature(path: Path) -> tuple[int, int, int]:
    """Changes with an archive, whose members are known by their numbers."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0, 0)
    return status.st_ino, status.st_size, status.st_mtime_ns


def _downloads(reader: ClassReader, found: Found) -> Iterator[Download]:
    for placed in found.files:
        try:
            yield Download(placed.path, reader.read(placed.entry, MAX_ARCHIVE_BYTES))
        except Unreadable:
            continue


def _sources(reader: ClassReader, found: Found, assignment: Assignment, report: Report | None) -> Sources:
    graded = None if report is None else {file.path: file.sha256 for file in report.submission.files}
    try:
        submission = reader.load(found, assignment)
    except GraderError as err:
        files = tuple(_as_text(reader, found, set()))
        left = _gone(report, {file.path for file in files})
        return Sources((*files, *left), f"{err.message} {err.hint}".strip())
    files = tuple(_files(submission, graded))
    known = {file.path for file in files}
    others = (_stated(file, submission, graded) for file in _as_text(reader, found, known))
    shown = (*files, *others)
    return Sources((*shown, *_gone(report, {file.path for file in shown})))


def _files(submission: Submission, graded: Mapping[str, str] | None) -> Iterator[SourceFile]:
    """Files with code that could be parsed: what the exercises are read from first."""
    stems: dict[str, list[str]] = {}
    texts: dict[str, SourceText] = {}
    for exercise in submission.exercises.values():
        if exercise.source is not None:
            texts.setdefault(exercise.source.path, exercise.source)
            stems.setdefault(exercise.source.path, []).append(exercise.stem)
    for source in submission.modules.values():
        texts.setdefault(source.path, source)
    for path, source in texts.items():
        file = SourceFile(path, source.text, "unknown", "", tuple(stems.get(path, ())), source.cells)
        yield _stated(file, submission, graded)


def _stated(file: SourceFile, submission: Submission, graded: Mapping[str, str] | None) -> SourceFile:
    """The file with its digest, compared with what was graded."""
    now = {one.path: one.sha256 for one in submission.files}
    digest = now.get(file.path, "")
    if graded is None or not digest:
        state = "unknown"
    elif file.path not in graded:
        state = "new"
    else:
        state = "same" if graded[file.path] == digest else "changed"
    return SourceFile(file.path, file.text, state, digest, file.stems, file.places)


def _as_text(reader: ClassReader, found: Found, known: set[str]) -> Iterator[SourceFile]:
    """Python files that could not be parsed, as far as they are text."""
    for placed in found.files:
        if placed.path in known or not placed.path.endswith((".py", ".py.txt", ".pyw")):
            continue
        try:
            content = reader.read(placed.entry, MAX_SOURCE_BYTES)
        except Unreadable:
            continue
        text = content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        yield SourceFile(placed.path, text, "unknown")


def _gone(report: Report | None, known: set[str]) -> Iterator[SourceFile]:
    """Files that were graded and are not there now."""
    for file in report.submission.files if report is not None else ():
        if file.path not in known:
            yield SourceFile(file.path, "", "gone", file.sha256)
