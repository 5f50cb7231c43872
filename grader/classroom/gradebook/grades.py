"""What a gradebook is asked from outside: the grades that count, the runs that there were."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Engine, select

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.counting import Grade, read_grades
from grader.classroom.gradebook.transactions import connected


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
    with connected(engine) as connection:
        return read_grades(connection, batch)


def list_runs(engine: Engine, batch: str, submission: str | None = None) -> Iterator[RunInfo]:
    """Every run of a batch or of one submission: by submission, oldest first."""
    with connected(engine) as connection:
        yield from read_runs(connection, batch, submission)


def read_runs(connection: Connection, batch: str, submission: str | None = None) -> list[RunInfo]:
    """As `list_runs`."""
    runs = tables.runs
    query = select(*(runs.c[name] for name in RunInfo.__dataclass_fields__)).where(runs.c.batch == batch)
    if submission is not None:
        query = query.where(runs.c.submission == submission)
    query = query.order_by(runs.c.submission, runs.c.started_at, runs.c.id)
    return [RunInfo(*row) for row in connection.execute(query)]


def read_report_text(engine: Engine, run: str) -> str | None:
    """The report of a run as its result file had it, or None if there is no such run."""
    with connected(engine) as connection:
        return connection.execute(select(tables.runs.c.report).where(tables.runs.c.id == run)).scalar()
