"""Collects a submission that has no folder of its own: single files of a class's download, read on demand."""

from __future__ import annotations

from collections.abc import Sequence

from grader.errors import SubmissionError
from grader.load.archive import (
    collect_members,
    expand_archive,
    looks_like_archive,
    name_foreign_archive,
)
from grader.load.names import best_tier, kind_of, printable
from grader.load.raw import MAX_ARCHIVE_BYTES, MAX_ENTRIES, Collected, Member, RawFile, Unreadable, too_large
from grader.records import Note

_HEAD_BYTES = 512  # a tar file names itself at byte 257
_PACK = "Pack the files as a zip."


def collect_offered(members: Sequence[Member], holder: str, stems: Sequence[str]) -> Collected:
    """Read every offered file that may hold code; files named after `stems` come first.

    `holder` is what the submission is called in messages.

    Raises:
        SubmissionError: the only file is an archive that is refused, or is of a kind that is not read.
    """
    if len(members) == 1 and kind_of(members[0].name) in ("archive", "other") and not members[0].problem:
        return _collect_only(members[0])
    notes: list[Note] = []
    if len(members) > MAX_ENTRIES:
        notes.append(Note(f"Only the first {MAX_ENTRIES} files of `{holder}` were looked at."))
    wanted = sorted(
        members[:MAX_ENTRIES],
        key=lambda one: (best_tier(one.name, stems), one.name.count("/"), one.name),
    )
    for member in wanted:
        if member.problem and kind_of(member.name) == "other" and not member.name.endswith("/"):
            path = printable(member.name)
            notes.append(Note(f"`{path}` {member.problem} and was not read.", path=path))
    collected = collect_members(wanted, holder, prefix="", depth=-1)
    return Collected(collected.files, (*notes, *collected.notes), collected.others)


def _collect_only(member: Member) -> Collected:
    """A file that may be an archive under any name; its content lies at the submission's top."""
    path = printable(member.name)
    try:
        if kind_of(member.name) == "other":
            head = member.read(_HEAD_BYTES)
            if foreign := name_foreign_archive(head):
                raise Unreadable(f"`{path}` is {foreign}; expected .py, .ipynb, .zip or .tar.", hint=_PACK)
            if not looks_like_archive(head):
                return Collected((), (), (path,))
        if member.size > MAX_ARCHIVE_BYTES:
            raise too_large(path, "archive")
        content = member.read(MAX_ARCHIVE_BYTES)
        return expand_archive(RawFile(path, "archive", content), prefix="")
    except Unreadable as err:
        raise SubmissionError(err.message, hint=err.hint) from err
