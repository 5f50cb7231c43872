"""A person's word over what the grader said: who, when, why. Rows are added, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone

from sqlalchemy import Engine, insert, select

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.database import GradebookError, connected


@dataclass(frozen=True)
class Override:
    """`check` is None when it is about the whole exercise; `points` of None take an earlier override back."""

    submission: str
    exercise: str
    points: float | None
    who: str
    why: str
    check: str | None = None
    made_at: datetime | None = None


def add_override(engine: Engine, batch: str, override: Override) -> None:
    """Store an override; `made_at` is now unless it says otherwise.

    Raises:
        GradebookError: the points are not a number from 0 on, who or why is empty, or there is no such
            submission in the batch.
    """
    points = override.points
    if points is not None and not 0 <= points < float("inf"):
        raise GradebookError(f"Points must be a number from 0 on, got {points}.")
    if not override.who.strip() or not override.why.strip():
        raise GradebookError("An override says who made it and why.")
    submissions = tables.submissions
    with connected(engine) as connection:
        query = select(submissions.c.id).where(
            submissions.c.batch == batch, submissions.c.id == override.submission
        )
        if connection.execute(query).first() is None:
            raise GradebookError(f"The gradebook has no submission `{override.submission}` in this batch.")
        connection.execute(
            insert(tables.overrides).values(
                batch=batch,
                submission=override.submission,
                exercise=override.exercise,
                check_id=override.check,
                points=points,
                who=override.who,
                why=override.why,
                made_at=override.made_at or datetime.now(timezone.utc),
            )
        )


def list_overrides(engine: Engine, batch: str, submission: str | None = None) -> list[Override]:
    """All overrides of a batch or one submission, oldest first, also those that no longer count."""
    overrides = tables.overrides
    query = select(overrides).where(overrides.c.batch == batch).order_by(overrides.c.number)
    if submission is not None:
        query = query.where(overrides.c.submission == submission)
    with connected(engine) as connection:
        return [
            Override(row.submission, row.exercise, row.points, row.who, row.why, row.check_id, row.made_at)
            for row in connection.execute(query)
        ]


Target = tuple[str, str | None]


def latest_by_target(overrides: list[Override]) -> Mapping[str, Mapping[Target, float]]:
    """What counts: by submission, the points by (exercise, check or None)."""
    latest: dict[str, dict[Target, Override]] = {}
    for override in overrides:
        latest.setdefault(override.submission, {})[override.exercise, override.check] = override
    return {
        submission: {target: one.points for target, one in targets.items() if one.points is not None}
        for submission, targets in latest.items()
    }
