"""A class in pages, what it can be filtered by, and how its scores lie. Reads no report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import mean, median
from typing import Any

from sqlalchemy import Connection, func, select

from grader.classroom.gradebook import Grade, tables
from grader.classroom.gradebook.counting import read_grades
from grader.report.schema import UNTOUCHED
from grader.review.desk_query import Query, chosen, in_order
from grader.review.desk_records import (
    Around,
    Bin,
    CheckFacet,
    Count,
    Distribution,
    ExerciseFacet,
    Facets,
    Line,
    Listing,
)
from grader.review.desk_titles import Titles

BINS = 10

_standings, _people = tables.standings, tables.submissions
_COLUMNS = (*_standings.c, *(_people.c[name] for name in (
    "name", "login", "section", "members", "submitted", "late", "attempt")))  # fmt: skip


def read_listing(connection: Connection, batch: str, query: Query) -> Listing:
    """One page; a page beyond the last is the last."""
    total = connection.execute(chosen(batch, query, func.count())).scalar_one()
    pages = max(1, -(-total // query.per_page))
    page = min(query.page, pages)
    statement = in_order(chosen(batch, query, *_COLUMNS), query)
    rows = connection.execute(statement.limit(query.per_page).offset((page - 1) * query.per_page)).all()
    grades = {
        grade.submission: grade for grade in read_grades(connection, batch, [r.submission for r in rows])
    }
    lines = tuple(_line(row, grades[row.submission]) for row in rows)
    return Listing(lines, total, page, pages, query)


def _line(row: Any, grade: Grade) -> Line:
    return Line(
        id=row.submission,
        name=row.name,
        login=row.login,
        section=row.section,
        members=tuple(row.members.split("\n")) if row.members else (),
        status=row.status,
        score=row.score,
        max_score=row.max_score,
        exercises=grade.exercises,
        submitted=row.submitted,
        late=row.late,
        attempt=row.attempt,
        is_overridden=row.is_overridden,
        comments=row.comments,
        is_done=row.is_done,
        done_by=row.done_by,
        changed_since_done=is_later(row.started_at, row.done_at),
        newer_failed=row.newer_failed,
        in_class=row.in_class,
        runs=row.runs,
    )


def is_later(run: datetime | None, done: datetime | None) -> bool:
    """Was it graded after somebody was done with it?"""
    return run is not None and done is not None and run > done


def read_ids(connection: Connection, batch: str, query: Query) -> tuple[str, ...]:
    """All that fit, in their order."""
    statement = in_order(chosen(batch, query, _standings.c.submission), query)
    return tuple(connection.execute(statement).scalars())


def find_around(ids: Sequence[str], submission: str) -> Around:
    """The neighbours of a submission in a list."""
    if submission not in ids:
        return Around(None, None, 0, len(ids))
    at = ids.index(submission)
    return Around(
        previous=ids[at - 1] if at else None,
        next=ids[at + 1] if at + 1 < len(ids) else None,
        position=at + 1,
        total=len(ids),
    )


def read_facets(connection: Connection, batch: str, titles: Titles) -> Facets:
    """What is there to filter by, counted over the runs that count."""
    ours = _standings.c.batch == batch
    statuses = connection.execute(
        select(_standings.c.status, func.count()).where(ours).group_by(_standings.c.status)
    ).all()
    done = connection.execute(select(func.count()).where(ours, _standings.c.is_done.is_(True))).scalar_one()
    return Facets(
        total=sum(row[1] for row in statuses),
        exercises=tuple(
            sorted(_exercises(connection, batch, titles), key=lambda one: titles.place(one.stem))
        ),
        checks=tuple(sorted(_checks(connection, batch, titles), key=lambda one: titles.place(one.id))),
        misconceptions=_misconceptions(connection, batch),
        notes=_notes(connection, batch),
        statuses={row[0]: row[1] for row in statuses},
        done=done,
    )


def _exercises(connection: Connection, batch: str, titles: Titles) -> list[ExerciseFacet]:
    exercises = tables.exercises
    missing = func.coalesce(exercises.c.score, -1.0) < exercises.c.max_score
    attempted = _standings.c.status.in_(("graded", "practice")) & exercises.c.status.not_in(UNTOUCHED)
    statement = (
        select(
            exercises.c.stem,
            func.max(exercises.c.max_score),
            func.count().filter(missing),
            func.max(exercises.c.track),
            func.count().filter(attempted),
        )
        .join(_standings, _standings.c.run == exercises.c.run)
        .where(_standings.c.batch == batch)
        .group_by(exercises.c.stem)
    )
    return [ExerciseFacet(stem, titles.of(stem), *others) for stem, *others in connection.execute(statement)]


def _checks(connection: Connection, batch: str, titles: Titles) -> list[CheckFacet]:
    checks = tables.checks
    statement = (
        select(checks.c.exercise, checks.c.id, checks.c.outcome, func.count())
        .join(_standings, _standings.c.run == checks.c.run)
        .where(_standings.c.batch == batch, tables.NOT_PASSED)
        .group_by(checks.c.exercise, checks.c.id, checks.c.outcome)
    )
    outcomes: dict[tuple[str, str], dict[str, int]] = {}
    for exercise, check, outcome, count in connection.execute(statement):
        outcomes.setdefault((exercise, check), {})[outcome] = count
    return [
        CheckFacet(check, exercise, titles.of(check), counts)
        for (exercise, check), counts in outcomes.items()
    ]


def _misconceptions(connection: Connection, batch: str) -> tuple[Count, ...]:
    checks = tables.checks
    statement = (
        select(checks.c.misconception, func.count(checks.c.run.distinct()))
        .join(_standings, _standings.c.run == checks.c.run)
        .where(_standings.c.batch == batch, tables.NOT_PASSED, checks.c.misconception.is_not(None))
        .group_by(checks.c.misconception)
    )
    return _by_count(connection.execute(statement).all())


def _notes(connection: Connection, batch: str) -> tuple[Count, ...]:
    notes = tables.run_notes
    statement = (
        select(notes.c.label, func.count())
        .join(_standings, _standings.c.run == notes.c.run)
        .where(_standings.c.batch == batch)
        .group_by(notes.c.label)
    )
    return _by_count(connection.execute(statement).all())


def _by_count(rows: Sequence[Any]) -> tuple[Count, ...]:
    return tuple(Count(key, count) for key, count in sorted(rows, key=lambda row: (-row[1], row[0])))


def read_distribution(connection: Connection, batch: str, query: Query) -> Distribution:
    """How the scores of those lie that fit; bins are of one width from 0 to the highest maximum."""
    rows = connection.execute(chosen(batch, query, _standings.c.score, _standings.c.max_score)).all()
    scores = sorted(row.score for row in rows if row.score is not None)
    most = max((row.max_score for row in rows), default=0.0)
    top = max([most, *scores[-1:]])
    return Distribution(
        bins=tuple(_bins(scores, top)) if top > 0 else (),
        count=len(scores),
        without_score=len(rows) - len(scores),
        mean=mean(scores) if scores else None,
        median=median(scores) if scores else None,
        max_score=most,
    )


def _bins(scores: Sequence[float], top: float) -> list[Bin]:
    counts: dict[int, int] = {}
    for score in scores:
        at = min(BINS - 1, int(score / top * BINS))
        counts[at] = counts.get(at, 0) + 1
    return [Bin(top * at / BINS, top * (at + 1) / BINS, counts.get(at, 0)) for at in range(BINS)]
