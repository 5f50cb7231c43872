"""Which grade counts: of each submission the latest run that gave one, with the overrides over it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Engine, Select, func, select

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.database import connected
from grader.classroom.gradebook.overrides import Target, latest_by_target, list_overrides
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
    is_overridden: bool = False
    newer_failed: bool = False


@dataclass(frozen=True)
class RunInfo:
    """One run as the history of a submission lists it."""

    id: str
    submission: str
    started_at: datetime
    status: str
    score: float | None
    max_score: float
    suites: str
    files: str
    grader: str


def counting_grades(engine: Engine, batch: str) -> list[Grade]:
    """The grade of every submission of a batch, by id; one that was never run has none."""
    overridden = latest_by_target(list_overrides(engine, batch))
    with connected(engine) as connection:
        people = connection.execute(
            select(tables.submissions)
            .where(tables.submissions.c.batch == batch)
            .order_by(tables.submissions.c.id)
        ).mappings()
        latest = {row.submission: row for row in connection.execute(_latest(batch, graded_only=False))}
        counting = {row.submission: row for row in connection.execute(_latest(batch, graded_only=True))}
        exercises = _exercises_by_run(connection, batch)
        grades = []
        for person in people:
            targets = overridden.get(person["id"], {})
            run = counting.get(person["id"]) or latest.get(person["id"])
            checks = _checks(connection, run.id) if run is not None and any(c for _, c in targets) else {}
            parts = exercises.get(run.id, []) if run is not None else []
            grades.append(_grade(dict(person), run, parts, targets, checks, latest.get(person["id"])))
        return grades


def _latest(batch: str, *, graded_only: bool) -> Select[Any]:
    """The last run of each submission; with `graded_only` those that need a regrade are passed over."""
    runs = tables.runs
    place = func.row_number().over(
        partition_by=runs.c.submission, order_by=(runs.c.started_at.desc(), runs.c.id.desc())
    )
    wanted = (runs.c.id, runs.c.submission, runs.c.status, runs.c.score, runs.c.max_score)
    query = select(*wanted, place.label("place")).where(runs.c.batch == batch)
    if graded_only:
        query = query.where(runs.c.status != "needs_regrade")
    inner = query.subquery()
    return select(inner).where(inner.c.place == 1)


def _exercises_by_run(connection: Connection, batch: str) -> dict[str, list[Any]]:
    exercises, runs = tables.exercises, tables.runs
    query = (
        select(exercises).join(runs, runs.c.id == exercises.c.run).where(runs.c.batch == batch)
    ).order_by(exercises.c.run)
    rows = connection.execute(query)
    return {run: list(group) for run, group in groupby(rows, key=lambda row: row.run)}


def _checks(connection: Connection, run: str) -> Mapping[tuple[str, str], float | None]:
    checks = tables.checks
    rows = connection.execute(select(checks).where(checks.c.run == run))
    return {(row.exercise, row.id): row.score for row in rows}


def _grade(
    person: Mapping[str, Any],
    run: Any,
    parts: Sequence[Any],
    targets: Mapping[Target, float],
    checks: Mapping[tuple[str, str], float | None],
    latest: Any,
) -> Grade:
    if run is None:
        return Grade(person["id"], person, "needs_regrade", None, 0.0)
    scores = {part.stem: _exercise_score(part, targets, checks) for part in parts}
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
        is_overridden=any(exercise in scores for exercise, _ in targets),
        newer_failed=latest.id != run.id,
    )


def _exercise_score(
    part: Any, targets: Mapping[Target, float], checks: Mapping[tuple[str, str], float | None]
) -> float | None:
    """An override of the exercise decides; else those of its checks take the place of their scores."""
    if (whole := targets.get((part.stem, None))) is not None:
        return whole
    changed = {check: points for (stem, check), points in targets.items() if stem == part.stem and check}
    if not changed:
        score: float | None = part.score
        return score
    own = {check: score for (stem, check), score in checks.items() if stem == part.stem}
    scores = [changed.get(check, score) for check, score in own.items()]
    if any(score is None for score in scores):
        return None
    return rounded(sum(score or 0.0 for score in scores))


def list_runs(engine: Engine, batch: str, submission: str | None = None) -> Iterator[RunInfo]:
    """Every run of a batch or of one submission: by submission, oldest first."""
    runs = tables.runs
    query = select(*(runs.c[name] for name in RunInfo.__dataclass_fields__)).where(runs.c.batch == batch)
    if submission is not None:
        query = query.where(runs.c.submission == submission)
    with connected(engine) as connection:
        for row in connection.execute(query.order_by(runs.c.submission, runs.c.started_at, runs.c.id)):
            yield RunInfo(*row)


def read_report_text(engine: Engine, run: str) -> str | None:
    """The report of a run as its result file had it, or None if there is no such run."""
    with connected(engine) as connection:
        return connection.execute(select(tables.runs.c.report).where(tables.runs.c.id == run)).scalar()
