"""A gradebook of an earlier grader is brought up to date where it lies, and loses nothing."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect, text

from grader.classroom.gradebook import (
    GradebookError,
    counting_grades,
    list_overrides,
    list_runs,
    open_database,
    tables,
)
from grader.classroom.gradebook.actions import list_actions
from grader.classroom.gradebook.transactions import connected
from grader.report.schema import (
    AssignmentInfo,
    CheckResult,
    Diagnosis,
    EnvironmentInfo,
    ExerciseResult,
    IsolationInfo,
    Report,
    ReportNote,
    SubmissionInfo,
)
from grader.report.writing import dump_report

# As version 1 made them.
VERSION_1 = """
CREATE TABLE about (version INTEGER NOT NULL, PRIMARY KEY (version));
CREATE TABLE batches (
    id VARCHAR(64) NOT NULL, created_at TIMESTAMP NOT NULL, assignment VARCHAR(1000) NOT NULL,
    title VARCHAR(1000) NOT NULL, PRIMARY KEY (id));
CREATE TABLE submissions (
    batch VARCHAR(64) NOT NULL, id VARCHAR(255) NOT NULL, name VARCHAR(1000) NOT NULL,
    login VARCHAR(1000) NOT NULL, lms_id VARCHAR(1000) NOT NULL, sis_id VARCHAR(1000) NOT NULL,
    email VARCHAR(1000) NOT NULL, section VARCHAR(1000) NOT NULL, members TEXT NOT NULL,
    submitted VARCHAR(1000) NOT NULL, late BOOLEAN NOT NULL, attempt INTEGER NOT NULL,
    PRIMARY KEY (batch, id), FOREIGN KEY(batch) REFERENCES batches (id));
CREATE TABLE runs (
    id VARCHAR(64) NOT NULL, batch VARCHAR(64) NOT NULL, submission VARCHAR(255) NOT NULL,
    started_at TIMESTAMP NOT NULL, duration_s FLOAT NOT NULL, status VARCHAR(20) NOT NULL, score FLOAT,
    max_score FLOAT NOT NULL, suites VARCHAR(64) NOT NULL, files VARCHAR(64) NOT NULL,
    grader VARCHAR(100) NOT NULL, isolation VARCHAR(20) NOT NULL, seed VARCHAR(20), report TEXT NOT NULL,
    PRIMARY KEY (id), FOREIGN KEY(batch, submission) REFERENCES submissions (batch, id));
CREATE INDEX runs_of_a_submission ON runs (batch, submission, started_at);
CREATE TABLE exercises (
    run VARCHAR(64) NOT NULL, stem VARCHAR(400) NOT NULL, track VARCHAR(20) NOT NULL,
    status VARCHAR(20) NOT NULL, score FLOAT, max_score FLOAT NOT NULL, follow_through BOOLEAN NOT NULL,
    PRIMARY KEY (run, stem), FOREIGN KEY(run) REFERENCES runs (id));
CREATE TABLE checks (
    run VARCHAR(64) NOT NULL, id VARCHAR(400) NOT NULL, exercise VARCHAR(400) NOT NULL,
    visibility VARCHAR(20) NOT NULL, outcome VARCHAR(20) NOT NULL, score FLOAT, max_score FLOAT NOT NULL,
    misconception VARCHAR(400), PRIMARY KEY (run, id), FOREIGN KEY(run) REFERENCES runs (id));
CREATE TABLE overrides (
    number {serial}, batch VARCHAR(64) NOT NULL, submission VARCHAR(255) NOT NULL,
    exercise VARCHAR(400) NOT NULL, check_id VARCHAR(400), points FLOAT, who VARCHAR(1000) NOT NULL,
    made_at TIMESTAMP NOT NULL, why TEXT NOT NULL, PRIMARY KEY (number),
    FOREIGN KEY(batch, submission) REFERENCES submissions (batch, id));
CREATE INDEX overrides_of_a_submission ON overrides (batch, submission);
"""
WHEN = "2026-01-05 09:00:00"


def _report(name: str, score: float) -> str:
    passed = score == 2.0
    check = CheckResult(
        id="own::one", title="One.", visibility="hidden", outcome="passed" if passed else "failed",
        score=score, max_score=2.0, message=None if passed else "Off by 3.",
        diagnosis=None if passed else Diagnosis(misconception="off_by_three"),
    )  # fmt: skip
    exercise = ExerciseResult(
        stem="own", title="Own", status="passed" if passed else "failed", score=score, max_score=2.0,
        checks=(check,),
    )  # fmt: skip
    note = ReportNote(text="`own.py` line 3: `open` reads or writes files.", path="own.py", audience="staff")
    report = Report(
        status="graded", score=score, max_score=2.0,
        assignment=AssignmentInfo(id="a", title="A", digest="d"), exercises=(exercise,),
        submission=SubmissionInfo(id=name, notes=() if passed else (note,)), seed=1, duration_s=1.0,
        started_at=datetime(2026, 1, 5, 9, tzinfo=timezone.utc),
        environment=EnvironmentInfo(
            grader="1", python="3", torch="2", platform="p", isolation=IsolationInfo(level="strict")
        ),
    )  # fmt: skip
    return dump_report(report, "staff")


def _statements() -> Iterator[tuple[str, dict[str, Any]]]:
    """Two submissions with a run each; a third whose report nobody can read; three overrides."""
    yield "INSERT INTO about VALUES (1)", {}
    yield f"INSERT INTO batches VALUES ('b', '{WHEN}', 'a', 'A')", {}
    reports = {"ada": _report("ada", 2.0), "ben": _report("ben", 0.0), "cem": "{not a report"}
    for name, report in reports.items():
        score, outcome = (2.0, "passed") if name == "ada" else (0.0, "failed")
        yield (
            f"INSERT INTO submissions VALUES "
            f"('b', '{name}', 'N {name}', '', '', '', '', '', '', '', :late, 1)", {"late": False},
        )  # fmt: skip
        yield (
            f"INSERT INTO runs VALUES ('r-{name}', 'b', '{name}', '{WHEN}', 1, 'graded', {score}, 2.0, 'd', "
            "'f', '1', 'strict', '1', :report)", {"report": report},
        )  # fmt: skip
        yield (
            f"INSERT INTO exercises VALUES ('r-{name}', 'own', 'core', 'x', {score}, 2.0, :no)",
            {"no": False},
        )  # fmt: skip
        yield (
            f"INSERT INTO checks VALUES "
            f"('r-{name}', 'own::one', 'own', 'hidden', '{outcome}', {score}, 2.0, NULL)", {},
        )  # fmt: skip
    for name, points in (("ben", "1.5"), ("ada", "0.5"), ("ada", "NULL")):
        yield (
            "INSERT INTO overrides (batch, submission, exercise, check_id, points, who, made_at, why) VALUES "
            f"('b', '{name}', 'own', NULL, {points}, 'prof', '{WHEN}', 'because')", {},
        )  # fmt: skip


def _make(url: str, serial: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in VERSION_1.format(serial=serial).split(";"):
            if statement.strip():
                connection.execute(text(statement))
        for statement, values in _statements():
            connection.execute(text(statement), values)
    engine.dispose()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A gradebook as version 1 left it."""
    path = tmp_path / "gradebook.sqlite"
    _make(f"sqlite:///{path}", "INTEGER NOT NULL")
    return path


def _check(where: str | Path) -> None:
    with open_database(where) as engine:
        grades = {grade.submission: grade.score for grade in counting_grades(engine, "b")}
        assert grades == {"ada": 2.0, "ben": 1.5, "cem": 0.0}
        assert [run.id for run in list_runs(engine, "b")] == ["r-ada", "r-ben", "r-cem"]
        overrides = list_overrides(engine, "b")
        assert [(one.submission, one.points, one.why) for one in overrides] == [
            ("ben", 1.5, "because"), ("ada", 0.5, "because"), ("ada", None, "because")
        ]  # fmt: skip
        with connected(engine) as connection:
            actions = list_actions(connection, "b")
            standings = connection.execute(
                text("SELECT submission, score, is_overridden, in_class FROM standings ORDER BY submission")
            ).all()
            failures = connection.execute(text("SELECT run, misconception FROM run_failures")).all()
            notes = connection.execute(text("SELECT run, label FROM run_notes")).all()
        assert [(one.number, one.sample) for one in actions] == [
            (overrides[2].action, ("ada",)), (overrides[1].action, ("ada",)), (overrides[0].action, ("ben",))
        ]  # fmt: skip
        assert [(row[0], row[1], bool(row[2]), bool(row[3])) for row in standings] == [
            ("ada", 2.0, False, True), ("ben", 1.5, True, True), ("cem", 0.0, False, True)
        ]  # fmt: skip
        assert [tuple(row) for row in failures] == [("r-ben", "off_by_three")]
        assert [tuple(row) for row in notes] == [("r-ben", "`open` reads or writes files.")]


def test_nothing_is_lost(old: Path) -> None:
    _check(old)
    _check(old)  # and a second time there is nothing to do


def test_in_postgresql(postgres: str) -> None:
    _make(postgres.replace("postgresql:", "postgresql+psycopg:"), "SERIAL NOT NULL")
    _check(postgres)


def test_upgraded_has_all_that_a_new_one_has(old: Path, tmp_path: Path) -> None:
    shapes = []
    for path in (old, tmp_path / "new.sqlite"):
        with open_database(path) as engine:
            look = inspect(engine)
            shapes.append(
                {
                    name: (
                        {column["name"] for column in look.get_columns(name)},
                        {index["name"] for index in look.get_indexes(name)},
                    )
                    for name in look.get_table_names()
                }
            )
    assert shapes[0] == shapes[1]
    assert set(shapes[0]) == set(tables.metadata.tables)


def test_killed_in_the_middle_leaves_the_old_one(old: Path) -> None:
    code = (
        "import os, signal, sys, grader.classroom.gradebook.upgrade as upgrade\n"
        "from pathlib import Path\n"
        "from grader.classroom.gradebook import open_database\n"
        "upgrade.refresh = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "with open_database(Path(sys.argv[1])): pass\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(old)]).returncode < 0
    with sqlite3.connect(old) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert connection.execute("SELECT version FROM about").fetchall() == [(1,)]
    connection.close()
    assert "standings" not in names
    _check(old)


def test_newer_one_is_refused_and_not_touched(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE about SET version = 3")
    connection.close()
    with pytest.raises(GradebookError, match="has version 3, this grader 2"), open_database(old):
        pass
    with sqlite3.connect(old) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    assert "actions" not in names
