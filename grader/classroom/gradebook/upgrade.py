"""Older gradebooks are brought up to date where they lie: tables and columns are added, no row is lost."""

from __future__ import annotations

from sqlalchemy import Connection, insert, inspect, select, text, update

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.actions import record_action
from grader.classroom.gradebook.facts import failure_rows, note_rows
from grader.classroom.gradebook.overrides import Override, deed_of
from grader.classroom.gradebook.standings import refresh
from grader.report.writing import read_report

_ACTION_COLUMN = "action"


def upgrade(connection: Connection, version: int) -> None:
    """Everything from `version` on, in the caller's transaction."""
    if version < 2:
        _to_version_2(connection)
        connection.execute(update(tables.about).values(version=2))


def _to_version_2(connection: Connection) -> None:
    """The desk's tables. What was overridden before becomes actions, so that it has a history too."""
    tables.metadata.create_all(connection)
    have = {index["name"] for index in inspect(connection).get_indexes(tables.checks.name)}
    for index in tables.checks.indexes:
        if index.name not in have:
            index.create(connection)
    columns = {column["name"] for column in inspect(connection).get_columns(tables.overrides.name)}
    if _ACTION_COLUMN not in columns:
        connection.execute(text(f"ALTER TABLE overrides ADD COLUMN {_ACTION_COLUMN} INTEGER"))
    _tell_overrides(connection)
    _look_through_runs(connection)
    for batch in connection.execute(select(tables.batches.c.id)).scalars().all():
        refresh(connection, batch)


def _tell_overrides(connection: Connection) -> None:
    overrides = tables.overrides
    for row in connection.execute(select(overrides).order_by(overrides.c.number)).all():
        word = Override(row.submission, row.exercise, row.points, row.who, row.why, row.check_id, row.made_at)
        number = record_action(connection, row.batch, deed_of(word), [row.submission])
        connection.execute(update(overrides).where(overrides.c.number == row.number).values(action=number))


def _look_through_runs(connection: Connection) -> None:
    """One report at a time: a class's reports together are large."""
    for run in connection.execute(select(tables.runs.c.id)).scalars().all():
        stored = connection.execute(select(tables.runs.c.report).where(tables.runs.c.id == run)).scalar_one()
        try:
            report = read_report(stored)
        except ValueError:
            continue  # of a form that we do not know: its scores count, it is only not searched
        for table, rows in (
            (tables.run_failures, list(failure_rows(run, report))),
            (tables.run_notes, list(note_rows(run, report))),
        ):
            if rows:
                connection.execute(insert(table), rows)
