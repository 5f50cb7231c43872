"""Canvas re-upload zip: a feedback file per student, named so that Canvas knows whose it is.

Canvas takes the first two numbers of a name as user and attachment and ignores, without a word, what does
not fit; so names are made from those of the downloaded submissions, with only the file name replaced. It
posts comments, never grades, and posts them again each time.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from grader.classroom.layouts.canvas import parse_name
from grader.exports.classgrades import ExportError
from grader.exports.feedback import feedback_of, pack
from grader.exports.gradefile import Change, Export, ExportRequest, GradeFile, Kept
from grader.exports.matching import Matching, Row, match
from grader.printable import printable

FILE_NAME = "feedback"


class _Newest(NamedTuple):
    number: int
    prefix: str


def make(request: ExportRequest) -> Export:
    newest = _newest_files(_names(request))
    rows = [_row(number, user, one) for number, (user, one) in enumerate(newest.items())]
    prefixes = [one.prefix for one in newest.values()]
    matching = _match(rows, request)
    files, changes, kept = [], [], []
    for number, student in sorted(matching.pairs.items()):
        feedback = feedback_of(request.grades, student)
        if feedback is None:
            kept.append(Kept(student.shown, f"{student.why_not or 'has no readable result'}: no feedback"))
            continue
        if prefixes[number].split("_")[0].isdigit():
            kept.append(Kept(student.shown, "has a name that Canvas would take for a number: no feedback"))
            continue
        name = f"{prefixes[number]}_{FILE_NAME}{feedback.ending}"
        files.append((name, feedback.content))
        changes.append(Change(student.shown, "", name))
    archive = pack("canvas-feedback.zip", files)
    notes = ("Canvas adds the files as comments each time that the zip is uploaded; it sets no grade.",)
    return Export((archive,), matching, tuple(changes), tuple(kept), notes=notes)


def _row(number: int, user: str, newest: _Newest) -> Row:
    key = {} if user.startswith("anon_") else {"lms_id": user}
    return Row(number, newest.prefix, key)


def _match(rows: list[Row], request: ExportRequest) -> Matching:
    """By Canvas's user id; anonymous work by the submission's own name, which is Canvas's."""
    anonymous = {row.shown.removeprefix("LATE_").rpartition("_")[0]: row for row in rows if not row.keys}
    named = match([row for row in rows if row.keys], request.grades.students)
    pairs = dict(named.pairs)
    left = []
    for student, reason in named.students_left:
        row = anonymous.pop(student.submission, None)
        if row is None:
            left.append((student, reason.replace("row in the file", "file in the download")))
        else:
            pairs[row.number] = student
    return Matching(pairs, tuple(row for row in rows if row.number not in pairs), tuple(left))


def _names(request: ExportRequest) -> Iterator[str]:
    """The names of the submissions as they were downloaded."""
    path = request.into or _only_path(request)
    shown = printable(str(path), one_line=True)
    try:
        if path.is_dir():
            yield from (entry.name for entry in sorted(path.iterdir()))
        else:
            with zipfile.ZipFile(path) as archive:
                yield from (name.rsplit("/", 1)[-1] for name in archive.namelist())
    except (OSError, zipfile.BadZipFile) as err:
        raise ExportError(f"`{shown}` is neither a folder nor a zip file that can be read.") from err


def _only_path(request: ExportRequest) -> Path:
    paths = request.grades.settings.paths
    if len(paths) != 1:
        raise ExportError("Name the zip or folder of downloaded submissions with --into.")
    return Path(paths[0])


def _newest_files(names: Iterator[str]) -> dict[str, _Newest]:
    """By user: the name up to the file's own, of the newest attachment."""
    found: dict[str, _Newest] = {}
    for name in names:
        parts = parse_name(name)
        if parts is None or not parts.number:
            continue
        user = f"anon_{parts.user}" if parts.is_anonymous else parts.user
        newest = _Newest(parts.number, name[: -len(parts.original) - 1])
        found[user] = max(found.get(user, newest), newest)
    if not found:
        raise ExportError("No file there has a name of the kind that Canvas gives.")
    return found


GRADEFILE = GradeFile("Canvas re-upload zip with feedback files", make)
