"""The tables. A batch has submissions, a submission has runs, a run has exercises and checks.

What people do is rows that are added and never changed: `actions`, and what they set (`overrides`,
`comments`, `marks`). `run_failures`, `run_notes` and `standings` are made from the rest, so that a class
can be searched without reading its reports; they can be made again at any time.
"""

from __future__ import annotations

from datetime import datetime, timezone

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    literal_column,
)

VERSION = 2
# Lengths in characters. SQLite ignores them, other databases want them for keys.
_HASH, _ID, _NAME, _CHECK = 64, 255, 1000, 400


class UtcTime(TypeDecorator[datetime]):
    """An instant. Databases without time zones get UTC, and what they give back is UTC again."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(timezone.utc)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=timezone.utc)


metadata = MetaData()

about = Table("about", metadata, Column("version", Integer, primary_key=True, autoincrement=False))

batches = Table(
    "batches",
    metadata,
    Column("id", String(_HASH), primary_key=True),
    Column("created_at", UtcTime, nullable=False),
    Column("assignment", String(_NAME), nullable=False),
    Column("title", String(_NAME), nullable=False),
)

# Who handed in what, as the last discovery saw it. Ids are strings: leading zeros matter.
submissions = Table(
    "submissions",
    metadata,
    Column("batch", ForeignKey("batches.id"), primary_key=True),
    Column("id", String(_ID), primary_key=True),
    Column("name", String(_NAME), nullable=False),
    Column("login", String(_NAME), nullable=False),
    Column("lms_id", String(_NAME), nullable=False),
    Column("sis_id", String(_NAME), nullable=False),
    Column("email", String(_NAME), nullable=False),
    Column("section", String(_NAME), nullable=False),
    Column("members", Text, nullable=False),  # of a group, one name a line
    Column("submitted", String(_NAME), nullable=False),
    Column("late", Boolean, nullable=False),
    Column("attempt", Integer, nullable=False),
)

# `id` is a digest of the report, so that storing it again changes nothing.
runs = Table(
    "runs",
    metadata,
    Column("id", String(_HASH), primary_key=True),
    Column("batch", String(_HASH), nullable=False),
    Column("submission", String(_ID), nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("duration_s", Float, nullable=False),
    Column("status", String(20), nullable=False),
    Column("score", Float),
    Column("max_score", Float, nullable=False),
    Column("suites", String(_HASH), nullable=False),
    Column("files", String(_HASH), nullable=False),
    Column("grader", String(100), nullable=False),
    Column("isolation", String(20), nullable=False),
    Column("seed", String(20)),  # larger than some databases' integers
    Column("report", Text, nullable=False),
    ForeignKeyConstraint(["batch", "submission"], ["submissions.batch", "submissions.id"]),
    Index("runs_of_a_submission", "batch", "submission", "started_at"),
)

exercises = Table(
    "exercises",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("stem", String(_CHECK), primary_key=True),
    Column("track", String(20), nullable=False),
    Column("status", String(20), nullable=False),
    Column("score", Float),
    Column("max_score", Float, nullable=False),
    Column("follow_through", Boolean, nullable=False),
)

checks = Table(
    "checks",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("id", String(_CHECK), primary_key=True),
    Column("exercise", String(_CHECK), nullable=False),
    Column("visibility", String(20), nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("score", Float),
    Column("max_score", Float, nullable=False),
    Column("misconception", String(_CHECK)),
)
# What is filtered by are the checks that did not pass: few of many. A database uses the index only for a
# condition that says the same, with the word in it and not as a parameter.
NOT_PASSED = checks.c.outcome != literal_column("'passed'")
Index(
    "failed_checks",
    checks.c.run,
    checks.c.exercise,
    checks.c.id,
    checks.c.outcome,
    checks.c.misconception,
    sqlite_where=NOT_PASSED,
    postgresql_where=NOT_PASSED,
)

# How a run fails an exercise: those that fail alike have one `cluster`. Made from the report.
run_failures = Table(
    "run_failures",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("exercise", String(_CHECK), primary_key=True),
    Column("cluster", String(_HASH), nullable=False),
    Column("first_check", String(_CHECK), nullable=False),
    Column("misconception", String(_CHECK), nullable=False),  # empty without a diagnosis
    Column("text", Text, nullable=False),
    Index("alike", "cluster", "run"),
)

# Remarks for staff on a run's code, under a label that is the same wherever they stand. Made from the report.
run_notes = Table(
    "run_notes",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("label", String(_CHECK), primary_key=True),
)

# What somebody did, about one thing in one or many submissions. `undoes` is the action that it takes back.
# Numbers grow in the order in which actions were committed, in each batch.
actions = Table(
    "actions",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("batch", ForeignKey("batches.id"), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("thing", String(20), nullable=False),  # what it is about; an undo is about what the undone was
    Column("exercise", String(_CHECK), nullable=False),
    Column("check_id", String(_CHECK), nullable=False),
    Column("thread", String(_HASH), nullable=False),  # of a comment
    Column("what", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("who", String(_NAME), nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("undoes", ForeignKey("actions.number")),
    Index("actions_of_a_batch", "batch", "number"),
)

action_targets = Table(
    "action_targets",
    metadata,
    Column("batch", String(_HASH), primary_key=True),
    Column("submission", String(_ID), primary_key=True),
    Column("action", ForeignKey("actions.number"), primary_key=True),
    ForeignKeyConstraint(["batch", "submission"], ["submissions.batch", "submissions.id"]),
    Index("targets_of_an_action", "action"),
)

# A person's word over a check or a whole exercise. Of those about one thing the last counts whose action was
# not taken back, and one without points takes an earlier one back. Version 1 had no `action`.
overrides = Table(
    "overrides",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("batch", String(_HASH), nullable=False),
    Column("submission", String(_ID), nullable=False),
    Column("exercise", String(_CHECK), nullable=False),
    Column("check_id", String(_CHECK)),
    Column("points", Float),
    Column("who", String(_NAME), nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("why", Text, nullable=False),
    Column("action", Integer),
    ForeignKeyConstraint(["batch", "submission"], ["submissions.batch", "submissions.id"]),
    Index("overrides_of_a_submission", "batch", "submission"),
)

# A comment is a thread of rows of which the last counts; one without text withdraws it. `run` is the one
# that was looked at: a line is a line of its files.
comments = Table(
    "comments",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("batch", String(_HASH), nullable=False),
    Column("submission", String(_ID), nullable=False),
    Column("thread", String(_HASH), nullable=False),
    Column("action", ForeignKey("actions.number"), nullable=False),
    Column("run", String(_HASH), nullable=False),
    Column("exercise", String(_CHECK), nullable=False),
    Column("check_id", String(_CHECK), nullable=False),
    Column("path", String(_NAME), nullable=False),
    Column("line", Integer),
    Column("text", Text),
    Column("staff_only", Boolean, nullable=False),
    Column("who", String(_NAME), nullable=False),
    Column("made_at", UtcTime, nullable=False),
    ForeignKeyConstraint(["batch", "submission"], ["submissions.batch", "submissions.id"]),
    Index("comments_of_a_submission", "batch", "submission"),
)

# Done or not done: the last row counts.
marks = Table(
    "marks",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("batch", String(_HASH), nullable=False),
    Column("submission", String(_ID), nullable=False),
    Column("action", ForeignKey("actions.number"), nullable=False),
    Column("is_done", Boolean, nullable=False),
    Column("who", String(_NAME), nullable=False),
    Column("made_at", UtcTime, nullable=False),
    ForeignKeyConstraint(["batch", "submission"], ["submissions.batch", "submissions.id"]),
    Index("marks_of_a_submission", "batch", "submission"),
)

# What counts for a submission now, overrides and all; brought up to date with every run and action.
standings = Table(
    "standings",
    metadata,
    Column("batch", String(_HASH), primary_key=True),
    Column("submission", String(_ID), primary_key=True),
    Column("name_key", String(_NAME), nullable=False),  # what a list is sorted by
    Column("search_key", Text, nullable=False),  # all names and numbers, case-folded
    Column("in_class", Boolean, nullable=False),  # False once it has left the input
    Column("run", String(_HASH)),
    Column("runs", Integer, nullable=False),
    Column("started_at", UtcTime),
    Column("status", String(20), nullable=False),
    Column("score", Float),
    Column("max_score", Float, nullable=False),
    Column("newer_failed", Boolean, nullable=False),
    Column("is_overridden", Boolean, nullable=False),
    Column("comments", Integer, nullable=False),
    Column("is_done", Boolean, nullable=False),
    Column("done_by", String(_NAME), nullable=False),
    Column("done_at", UtcTime),
    ForeignKeyConstraint(["batch", "submission"], ["submissions.batch", "submissions.id"]),
    Index("standings_by_run", "batch", "run"),
)
