"""The titles of exercises and checks, as the newest report of a class gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from grader.classroom.gradebook import tables
from grader.report.schema import Report
from grader.report.writing import read_report


@dataclass(frozen=True)
class Titles:
    """Titles by stem and check id, in the order of the assignment. What is not known goes by its id."""

    run: str = ""
    known: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)

    def of(self, name: str) -> str:
        return self.known.get(name, name)

    def place(self, name: str) -> tuple[int, str]:
        """What to sort by."""
        return self.places.get(name, len(self.places)), name


def newest_run(connection: Connection, batch: str) -> str:
    """The id of the newest run with checks that counts; empty if there is none."""
    standings = tables.standings
    statement = (
        select(standings.c.run)
        .where(standings.c.batch == batch, standings.c.status.in_(("graded", "practice")))
        .order_by(standings.c.started_at.desc(), standings.c.run)
        .limit(1)
    )
    return connection.execute(statement).scalar() or ""


def read_titles(connection: Connection, run: str) -> Titles:
    """The titles in the report of a run."""
    text = connection.execute(select(tables.runs.c.report).where(tables.runs.c.id == run)).scalar()
    try:
        report = read_report(text or "")
    except ValueError:
        return Titles(run)
    return _titles(run, report)


def _titles(run: str, report: Report) -> Titles:
    known: dict[str, str] = {}
    for exercise in report.exercises:
        known[exercise.stem] = exercise.title
        known.update({check.id: check.title for check in exercise.checks})
    return Titles(run, known, {name: place for place, name in enumerate(known)})
