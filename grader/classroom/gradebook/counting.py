"""Which grade counts: of each submission the latest run that gave one, with the overrides over it.

It is worked out from what is stored; `standings` keeps the answer for lists.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Select, func, select

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.actions import chunks
from grader.classroom.gradebook.overrides import Override, Target, counting_overrides, read_overrides
from grader.report.schema import rounded


@dataclass(frozen=True)
class Grade:
    """What a student gets. `score` is None while no run gave one; `exercises` has the scores by stem.

    `status` is that of the run that counts, `needs_regrade` if there is none. `is_overridden`: a person
    changed it. `newer_failed`: a later run needs a regrade, so this grade is from before.
    """

    submission: str
    person: Mapping[str, Any]
    status: str
    score: float | None
    max_score: float
    exercises: Mapping[str, float | None] = field(default_factory=dict)
    run: str = ""
    started_at: datetime | None = None
    is_overridden: bool = False
    newer_failed: bool = False


def read_grades(connection: Connection, batch: str, submissions: Iterable[str] | None = None) -> list[Grade]:
    """The grades of a batch or of some of its submissions, by id; one that was never run has none."""
    table = tables.submissions
    query = select(table.c.id).where(table.c.batch == batch).order_by(table.c.id)
    wanted = connection.execute(query).scalars().all() if submissions is None else sorted(set(submissions))
    # Of a large class only so many are read at once: what is read takes some times the memory of a grade.
    parts = (_read_grades(connection, batch, part) for part in chunks(wanted))
    return [grade for part in parts for grade in part]


def _read_grades(connection: Connection, batch: str, ids: Sequence[str]) -> list[Grade]:
    overridden = counting_overrides(read_overrides(connection, batch, ids))
    table = tables.submissions
    query = select(table).where(table.c.batch == batch, table.c.id.in_(ids)).order_by(table.c.id)
    people = connection.execute(query).mappings().all()
    latest = {row.submission: row for row in connection.execute(_latest(batch, ids, graded_only=False))}
    counting = {row.submission: row for row in connection.execute(_latest(batch, ids, graded_only=True))}
    runs = {one: counting.get(one) or latest[one] for one in latest}
    exercises = dict(_exercises_by_run(connection, [run.id for run in runs.values()]))
    grades = []
    for person in people:
        targets = overridden.get(person["id"], {})
        run = runs.get(person["id"])
        checks = _checks(connection, run.id) if run is not None and any(c for _, c in targets) else {}
        parts = exercises.get(run.id, []) if run is not None else []
        grades.append(_grade(dict(person), run, parts, targets, checks, latest.get(person["id"])))
    return grades


def _latest(batch: str, ids: Sequence[str], *, graded_only: bool) -> Select[Any]:
    """The last run of each submission; with `graded_only` those that need a regrade are passed over."""
    runs = tables.runs
    place = func.row_number().over(
        partition_by=runs.c.submission, order_by=(runs.c.started_at.desc(), runs.c.id.desc())
    )
    wanted = (runs.c.id, runs.c.submission, runs.c.started_at, runs.c.status, runs.c.score, runs.c.max_score)
    query = select(*wanted, place.label("place")).where(runs.c.batch == batch, runs.c.submission.in_(ids))
    if graded_only:
        query = query.where(runs.c.status != "needs_regrade")
    inner = query.subquery()
    return select(inner).where(inner.c.place == 1)


def _exercises_by_run(connection: Connection, runs: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
    exercises = tables.exercises
    for part in chunks(sorted(runs)):
        query = select(exercises).where(exercises.c.run.in_(part)).order_by(exercises.c.run)
        for run, group in groupby(connection.execute(query), key=lambda row: row.run):
            yield run, list(group)


def _checks(connection: Connection, run: str) -> Mapping[tuple[str, str], float | None]:
    checks = tables.checks
    rows = connection.execute(select(checks).where(checks.c.run == run))
    return {(row.exercise, row.id): row.score for row in rows}


def _grade(
    person: Mapping[str, Any],
    run: Any,
    parts: Sequence[Any],
    targets: Mapping[Target, Override],
    checks: Mapping[tuple[str, str], float | None],
    latest: Any,
) -> Grade:
    if run is None:
        return Grade(person["id"], person, "needs_regrade", None, 0.0)
    scores = {sys.intern(part.stem): _exercise_score(part, targets, checks) for part in parts}
    core = [scores[part.stem] for part in parts if part.track == "core"]
    known = [score for score in core if score is not None]
    return Grade(
        submission=person["id"],
        person=person,
        status=run.status,
        score=rounded(sum(known)) if len(known) == len(core) else None,
        max_score=run.max_score,
        exercises=scores,
        run=run.id,
        started_at=run.started_at,
        is_overridden=any(exercise in scores for exercise, _ in targets),
        newer_failed=latest.id != run.id,
    )


def _exercise_score(
    part: Any, targets: Mapping[Target, Override], checks: Mapping[tuple[str, str], float | None]
) -> float | None:
    """An override of the exercise decides; else those of its checks take the place of their scores."""
    if (whole := targets.get((part.stem, None))) is not None:
        return whole.points
    changed = {check: one.points for (stem, check), one in targets.items() if stem == part.stem and check}
    if not changed:
        score: float | None = part.score
        return score
    own = {check: score for (stem, check), score in checks.items() if stem == part.stem}
    scores = [changed.get(check, score) for check, score in own.items()]
    if any(score is None for score in scores):
        return None
    return rounded(sum(score or 0.0 for score in scores))
