"""What people say about a submission, and whether they are done with it. Rows are added, never changed."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Select, Table, insert, select

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.actions import chunks, undone


@dataclass(frozen=True)
class CommentVersion:
    """What a comment said once; `text` is None where it was withdrawn."""

    text: str | None
    staff_only: bool
    who: str
    made_at: datetime
    action: int


@dataclass(frozen=True)
class Comment:
    """A comment as it counts now: on an exercise, a check, a line (from 1) of a file, else on the whole.

    `run` is the one that was looked at: a line is a line of its files. Comments of one act on many
    submissions have one `thread`. `versions` begin with the oldest and do not hold what was undone.
    """

    submission: str
    thread: str
    run: str
    exercise: str
    check: str
    path: str
    line: int | None
    text: str
    staff_only: bool
    who: str
    made_at: datetime
    action: int
    versions: tuple[CommentVersion, ...] = ()
    is_current_run: bool = True


@dataclass(frozen=True)
class Mark:
    """Who said last that a submission is done (or that it is not), and when."""

    is_done: bool
    who: str
    made_at: datetime


def new_thread() -> str:
    return secrets.token_hex(16)


def write_comments(connection: Connection, batch: str, comments: Iterable[Comment]) -> None:
    """Store comments, or what takes the place of earlier ones of their threads; an empty text withdraws."""
    rows = (
        {
            "batch": batch,
            "submission": one.submission,
            "thread": one.thread,
            "action": one.action,
            "run": one.run,
            "exercise": one.exercise,
            "check_id": one.check,
            "path": one.path,
            "line": one.line,
            "text": one.text or None,
            "staff_only": one.staff_only,
            "who": one.who,
            "made_at": one.made_at,
        }
        for one in comments
    )
    for part in chunks(rows):
        connection.execute(insert(tables.comments), part)


def read_comments(
    connection: Connection, batch: str, submissions: Iterable[str] | None = None
) -> list[Comment]:
    """The comments that count, of a batch or of some submissions, in the order in which they were begun."""
    rows = sorted(_live(connection, tables.comments, batch, submissions), key=lambda row: row.number)
    threads: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        threads.setdefault((row.submission, row.thread), []).append(row)
    found = (_comment(versions) for versions in threads.values())
    return [comment for comment in found if comment.text]


def _comment(rows: Sequence[Any]) -> Comment:
    versions = tuple(
        CommentVersion(row.text, row.staff_only, row.who, row.made_at, row.action) for row in rows
    )
    row = rows[-1]
    return Comment(
        submission=row.submission,
        thread=row.thread,
        run=row.run,
        exercise=row.exercise,
        check=row.check_id,
        path=row.path,
        line=row.line,
        text=row.text or "",
        staff_only=row.staff_only,
        who=row.who,
        made_at=row.made_at,
        action=row.action,
        versions=versions,
    )


def revised(comment: Comment, text: str, **changes: Any) -> Comment:
    """The comment with another text, to be written over it."""
    return replace(comment, text=text, versions=(), **changes)


def write_marks(
    connection: Connection, batch: str, submissions: Iterable[str], mark: Mark, action: int
) -> None:
    rows = (
        {
            "batch": batch,
            "submission": one,
            "action": action,
            "is_done": mark.is_done,
            "who": mark.who,
            "made_at": mark.made_at,
        }
        for one in submissions
    )
    for part in chunks(rows):
        connection.execute(insert(tables.marks), part)


def read_marks(
    connection: Connection, batch: str, submissions: Iterable[str] | None = None
) -> Mapping[str, Mark]:
    """The last word on each submission about which there is one."""
    rows = sorted(
        _live(connection, tables.marks, batch, submissions), key=lambda row: (row.submission, row.number)
    )
    return {
        submission: Mark(last.is_done, last.who, last.made_at)
        for submission, group in groupby(rows, key=lambda row: row.submission)
        for last in [list(group)[-1]]
    }


def _live(
    connection: Connection, table: Table, batch: str, submissions: Iterable[str] | None
) -> Iterator[Any]:
    """The rows whose act was not taken back."""
    gone = undone(connection, batch)
    query: Select[Any] = select(table).where(table.c.batch == batch)
    queries = (
        [query]
        if submissions is None
        else [query.where(table.c.submission.in_(part)) for part in chunks(submissions)]
    )
    for one in queries:
        for row in connection.execute(one):
            if row.action not in gone:
                yield row
