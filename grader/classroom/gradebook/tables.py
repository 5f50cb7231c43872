"""The tables. A batch has submissions, a submission has runs, a run has exercises and checks."""

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
)

VERSION = 1
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

# A person's word over a check or a whole exercise. Rows are added and never changed: of those about one
# thing the last counts, and one without points takes an earlier one back.
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
    ForeignKeyConstraint(["batch", "submission"], ["submissions.batch", "submissions.id"]),
    Index("overrides_of_a_submission", "batch", "submission"),
)
