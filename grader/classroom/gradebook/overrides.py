"""A person's word over what the grader said: who, when, why. Rows are added, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from sqlalchemy import Connection, Engine, insert, select

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.actions import Deed, chunks, record_action, undone
from grader.classroom.gradebook.transactions import GradebookError, connected, writing


@dataclass(frozen=True)
class Override:
    """`check` is None when it is about the whole exercise; `points` of None take an earlier override back.

    `action` is the act that it was made with; `is_undone` says that this was taken back.
    """

    submission: str
    exercise: str
    points: float | None
    who: str
    why: str
    check: str | None = None
    made_at: datetime | None = None
    action: int | None = None
    is_undone: bool = False


Target = tuple[str, str | None]


def add_override(engine: Engine, batch: str, override: Override) -> None:
    """Store an override; `made_at` is now unless it says otherwise.

    Raises:
        GradebookError: the points are not a number from 0 on, who or why is empty, or there is no such
            submission in the batch.
    """
    from grader.classroom.gradebook.standings import refresh

    points = override.points
    if points is not None and not 0 <= points < float("inf"):
        raise GradebookError(f"Points must be a number from 0 on, got {points}.")
    if not override.who.strip() or not override.why.strip():
        raise GradebookError("An override says who made it and why.")
    submissions = tables.submissions
    with writing(engine, batch) as connection:
        query = select(submissions.c.id).where(
            submissions.c.batch == batch, submissions.c.id == override.submission
        )
        if connection.execute(query).first() is None:
            raise GradebookError(f"The gradebook has no submission `{override.submission}` in this batch.")
        write_override(connection, batch, [override.submission], override)
        refresh(connection, batch, [override.submission])


def write_override(
    connection: Connection, batch: str, submissions: Sequence[str], word: Override, deed: Deed | None = None
) -> int:
    """Store one override for each of these submissions as one act, and return its number.

    `word.submission` is not looked at; `standings` are the caller's to refresh.
    """
    made_at = word.made_at or datetime.now(timezone.utc)
    number = record_action(connection, batch, replace(deed or deed_of(word), made_at=made_at), submissions)
    rows = [
        {
            "batch": batch,
            "submission": one,
            "exercise": word.exercise,
            "check_id": word.check,
            "points": word.points,
            "who": word.who,
            "why": word.why,
            "made_at": made_at,
            "action": number,
        }
        for one in submissions
    ]
    for part in chunks(rows):
        connection.execute(insert(tables.overrides), part)
    return number


def deed_of(word: Override) -> Deed:
    """The act that an override is, in words."""
    where = f"`{word.check or word.exercise}`"
    said = f"Set {where} back to the grader's score."
    return Deed(
        kind="override",
        thing="points",
        who=word.who,
        what=said if word.points is None else f"Gave {where} {word.points:g} points.",
        why=word.why,
        exercise=word.exercise,
        check=word.check or "",
        made_at=word.made_at,
    )


def list_overrides(engine: Engine, batch: str, submission: str | None = None) -> list[Override]:
    """All overrides of a batch or one submission, oldest first, also those that no longer count."""
    with connected(engine) as connection:
        return read_overrides(connection, batch, None if submission is None else [submission])


def read_overrides(
    connection: Connection, batch: str, submissions: Iterable[str] | None = None
) -> list[Override]:
    """As `list_overrides`, of all or of some submissions."""
    overrides = tables.overrides
    query = select(overrides).where(overrides.c.batch == batch).order_by(overrides.c.number)
    gone = undone(connection, batch)
    if submissions is None:
        rows = list(connection.execute(query))
    else:
        parts = (query.where(overrides.c.submission.in_(part)) for part in chunks(submissions))
        rows = [row for part in parts for row in connection.execute(part)]
    return [
        Override(
            row.submission, row.exercise, row.points, row.who, row.why, row.check_id, row.made_at,
            row.action, row.action in gone,
        )
        for row in rows
    ]  # fmt: skip


def counting_overrides(overrides: Iterable[Override]) -> Mapping[str, Mapping[Target, Override]]:
    """What counts of these, oldest first: by submission, the override by (exercise, check or None)."""
    latest: dict[str, dict[Target, Override]] = {}
    for override in overrides:
        if not override.is_undone:
            latest.setdefault(override.submission, {})[override.exercise, override.check] = override
    return {
        submission: {target: one for target, one in targets.items() if one.points is not None}
        for submission, targets in latest.items()
    }
