"""Keeps `standings`, in which a class is listed and searched, true to the runs and to what people did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.actions import chunks
from grader.classroom.gradebook.comments import Mark, read_comments, read_marks
from grader.classroom.gradebook.counting import Grade, read_grades

NEVER_GRADED = "not_graded"
_MAX_KEY = 1000
_NAMES = ("id", "name", "login", "lms_id", "sis_id", "email", "members")


def refresh(connection: Connection, batch: str, submissions: Collection[str] | None = None) -> None:
    """Work out what counts for these submissions, or all of the batch, and keep it."""
    standings = tables.standings
    grades = read_grades(connection, batch, submissions)
    marks = read_marks(connection, batch, submissions)
    comments = Counter(one.submission for one in read_comments(connection, batch, submissions))
    runs = _count_runs(connection, batch, submissions)
    gone = set(
        connection.execute(
            select(standings.c.submission).where(standings.c.batch == batch, standings.c.in_class.is_(False))
        ).scalars()
    )
    ours = standings.c.batch == batch
    if submissions is None:
        connection.execute(delete(standings).where(ours))
    else:
        for part in chunks(submissions):
            connection.execute(delete(standings).where(ours, standings.c.submission.in_(part)))
    rows = (
        {
            **_row(batch, grade, marks.get(grade.submission)),
            "in_class": grade.submission not in gone,
            "comments": comments[grade.submission],
            "runs": runs.get(grade.submission, 0),
        }
        for grade in grades
    )
    for part in chunks(rows):
        connection.execute(insert(standings), part)


def note_who_is_there(connection: Connection, batch: str, submissions: Iterable[str]) -> None:
    """Say of each submission whether the input still has it."""
    standings, there = tables.standings, set(submissions)
    query = select(standings.c.submission, standings.c.in_class).where(standings.c.batch == batch)
    rows = connection.execute(query).all()
    _turn(connection, batch, [one for one, in_class in rows if one in there and not in_class], to=True)
    note_gone(connection, batch, [one for one, in_class in rows if one not in there and in_class])


def note_gone(connection: Connection, batch: str, submissions: Iterable[str]) -> None:
    """Say of these that the input has them no longer; their results and grades are kept."""
    _turn(connection, batch, submissions, to=False)


def _turn(connection: Connection, batch: str, submissions: Iterable[str], *, to: bool) -> None:
    standings = tables.standings
    for part in chunks(submissions):
        where = (standings.c.batch == batch) & standings.c.submission.in_(part)
        connection.execute(update(standings).where(where).values(in_class=to))


def _count_runs(connection: Connection, batch: str, submissions: Collection[str] | None) -> Mapping[str, int]:
    runs = tables.runs
    query = select(runs.c.submission, func.count()).where(runs.c.batch == batch).group_by(runs.c.submission)
    if submissions is None:
        return {row[0]: row[1] for row in connection.execute(query)}
    parts = (query.where(runs.c.submission.in_(part)) for part in chunks(submissions))
    return {row[0]: row[1] for part in parts for row in connection.execute(part)}


def _row(batch: str, grade: Grade, mark: Mark | None) -> dict[str, Any]:
    person = grade.person
    return {
        "batch": batch,
        "submission": grade.submission,
        "name_key": str(person["name"] or grade.submission).casefold()[:_MAX_KEY],
        "search_key": "\n".join(str(person[name]) for name in _NAMES if person[name]).casefold(),
        "run": grade.run or None,
        "started_at": grade.started_at,
        "status": grade.status if grade.run else NEVER_GRADED,
        "score": grade.score,
        "max_score": grade.max_score,
        "newer_failed": grade.newer_failed,
        "is_overridden": grade.is_overridden,
        "is_done": mark is not None and mark.is_done,
        "done_by": mark.who if mark is not None and mark.is_done else "",
        "done_at": mark.made_at if mark is not None and mark.is_done else None,
    }
