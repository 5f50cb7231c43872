"""Opens a gradebook and writes runs to it. Writing the same run twice changes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Engine, Table, insert, select, update

from grader.classroom.folder import BatchSettings
from grader.classroom.gradebook import tables
from grader.classroom.gradebook.facts import failure_rows, note_rows
from grader.classroom.gradebook.standings import note_gone, note_who_is_there, refresh
from grader.classroom.gradebook.transactions import writing
from grader.classroom.records import Found
from grader.classroom.rows import files_digest
from grader.printable import printable
from grader.report.schema import Report

_ROWS_AT_ONCE = 500  # of one statement; SQLite takes at most 32,766 values in one


@dataclass(frozen=True)
class StoredRun:
    """A report and the text of its result file, from which the run's id is made."""

    report: Report
    text: str

    @cached_property  # every row of a run holds it
    def id(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]


@dataclass
class Gradebook:
    """One batch's place in a database. `known` are the ids of its runs that are stored already."""

    engine: Engine
    batch: str
    known: set[str] = field(default_factory=set)

    def enter_class(self, settings: BatchSettings, title: str, found: Iterable[Found]) -> None:
        """Store the batch and who is in it; people are brought up to date, nobody is removed."""
        with writing(self.engine, self.batch) as connection:
            self._enter_batch(connection, settings, title)
            self._enter_people(connection, [_person(self.batch, one) for one in found])
            runs = tables.runs
            self.known = set(
                connection.execute(select(runs.c.id).where(runs.c.batch == self.batch)).scalars()
            )

    def _enter_batch(self, connection: Connection, settings: BatchSettings, title: str) -> None:
        batches = tables.batches
        if connection.execute(select(batches).where(batches.c.id == self.batch)).first() is None:
            values = {"created_at": settings.created_at, "assignment": settings.assignment, "title": title}
            connection.execute(insert(batches).values(id=self.batch, **values))

    def _enter_people(self, connection: Connection, people: Sequence[dict[str, Any]]) -> None:
        submissions = tables.submissions
        query = select(submissions).where(submissions.c.batch == self.batch)
        stored = {row.id: dict(row._mapping) for row in connection.execute(query)}
        new = [person for person in people if person["id"] not in stored]
        _insert(connection, submissions, new)
        changed = [one for one in people if one["id"] in stored and stored[one["id"]] != one]
        for person in changed:
            where = (submissions.c.batch == self.batch) & (submissions.c.id == person["id"])
            connection.execute(update(submissions).where(where).values(person))
        refresh(connection, self.batch, [person["id"] for person in (*new, *changed)])
        note_who_is_there(connection, self.batch, [person["id"] for person in people])

    def record(self, runs: Sequence[StoredRun]) -> None:
        """Store runs, each with its exercises and checks, all of them or none."""
        new = {run.id: run for run in runs if run.id not in self.known}
        if not new:
            return
        with writing(self.engine, self.batch) as connection:
            wanted = list(new)
            stored = set(
                connection.execute(select(tables.runs.c.id).where(tables.runs.c.id.in_(wanted))).scalars()
            )
            missing = [run for run in new.values() if run.id not in stored]
            unknown = self._unknown_people(connection, missing)
            _insert(connection, tables.submissions, unknown)
            _insert(connection, tables.runs, [_run_row(self.batch, run) for run in missing])
            _insert(connection, tables.exercises, [row for run in missing for row in _exercise_rows(run)])
            _insert(connection, tables.checks, [row for run in missing for row in _check_rows(run)])
            failures = [row for run in missing for row in failure_rows(run.id, run.report)]
            _insert(connection, tables.run_failures, failures)
            notes = [row for run in missing for row in note_rows(run.id, run.report)]
            _insert(connection, tables.run_notes, notes)
            refresh(connection, self.batch, {run.report.submission.id for run in missing})
            note_gone(connection, self.batch, [person["id"] for person in unknown])
        self.known.update(new)

    def _unknown_people(self, connection: Connection, runs: Sequence[StoredRun]) -> list[dict[str, Any]]:
        """Rows for submissions that are no longer in the input but have a result."""
        ids = {run.report.submission.id for run in runs}
        submissions = tables.submissions
        query = select(submissions.c.id).where(submissions.c.batch == self.batch, submissions.c.id.in_(ids))
        known = set(connection.execute(query).scalars())
        empty = dict.fromkeys(
            ("name", "login", "lms_id", "sis_id", "email", "section", "members", "submitted"), ""
        )
        return [
            {"batch": self.batch, "id": one, **empty, "late": False, "attempt": 1}
            for one in sorted(ids - known)
        ]


def _insert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        connection.execute(insert(table), rows[first : first + _ROWS_AT_ONCE])


def _person(batch: str, found: Found) -> dict[str, Any]:
    student = found.student
    fields = {
        "name": student.name,
        "login": student.login,
        "lms_id": student.lms_id,
        "sis_id": student.sis_id,
        "email": student.email,
        "section": student.section,
        "submitted": found.when,
    }
    return {
        "batch": batch,
        "id": found.id,
        **{name: printable(text, 1000, one_line=True) for name, text in fields.items()},
        "members": "\n".join(printable(member.shown, 300, one_line=True) for member in found.group),
        "late": found.late,
        "attempt": found.attempt,
    }


def _run_row(batch: str, run: StoredRun) -> dict[str, Any]:
    report = run.report
    return {
        "id": run.id,
        "batch": batch,
        "submission": report.submission.id,
        "started_at": report.started_at,
        "duration_s": report.duration_s,
        "status": report.status,
        "score": report.score,
        "max_score": report.max_score,
        "suites": report.assignment.digest,
        "files": files_digest(report),
        "grader": report.environment.grader,
        "isolation": report.environment.isolation.level,
        "seed": None if report.seed is None else str(report.seed),
        "report": run.text,
    }


def _exercise_rows(run: StoredRun) -> Iterator[dict[str, Any]]:
    for exercise in run.report.exercises:
        yield {
            "run": run.id,
            "stem": exercise.stem,
            "track": exercise.track,
            "status": exercise.status,
            "score": exercise.score,
            "max_score": exercise.max_score,
            "follow_through": exercise.follow_through,
        }


def _check_rows(run: StoredRun) -> Iterator[dict[str, Any]]:
    for exercise in run.report.exercises:
        for check in exercise.checks:
            yield {
                "run": run.id,
                "id": check.id,
                "exercise": exercise.stem,
                "visibility": check.visibility,
                "outcome": check.outcome,
                "score": check.score,
                "max_score": check.max_score,
                "misconception": check.diagnosis.misconception if check.diagnosis else None,
            }
