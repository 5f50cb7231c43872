"""Opens any database: its tables are made on first use, and those of an older grader brought up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, OperationalError, SQLAlchemyError

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.transactions import (
    WRITES,
    GradebookError,
    connected,
    explain,
    shown_url,
    writing,
)
from grader.classroom.gradebook.upgrade import upgrade
from grader.printable import printable

_BUSY_TIMEOUT_S = 30.0


@contextmanager
def open_database(where: str | Path) -> Iterator[Engine]:
    """An engine for a SQLite file (a path) or any database (a URL such as `postgresql://host/name`).

    Raises:
        GradebookError: it cannot be reached, or was made by a newer grader.
    """
    url = _url(where)
    try:
        engine = create_engine(url, connect_args=_connect_args(url))
    except (SQLAlchemyError, ModuleNotFoundError) as err:
        raise explain(err, url) from err
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    try:
        _make_tables(engine)
        yield engine
    finally:
        engine.dispose()


def _url(where: str | Path) -> URL:
    if isinstance(where, Path):
        return URL.create("sqlite", database=str(where))
    try:
        url = make_url(where)
    except ArgumentError as err:
        raise GradebookError(
            f"`{printable(where, 200, one_line=True)}` is not the URL of a database.",
            hint="Expected something like `sqlite:///grades.sqlite` or `postgresql://user@host/name`.",
        ) from err
    # The driver that we name as an extra; SQLAlchemy's own default is its predecessor.
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgresql", "postgres") else url


def _connect_args(url: URL) -> dict[str, Any]:
    return {"timeout": _BUSY_TIMEOUT_S} if url.get_backend_name() == "sqlite" else {}


def _set_up_sqlite(connection: Any, record: object) -> None:
    """Readers do not stop the writer (WAL), and nothing that was committed is lost, also in a power cut.

    Transactions are begun by `_begin_sqlite`: Python's module would begin one only at the first change, so
    that what was read before it may be out of date already.
    """
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A writer waits for its turn before it reads: two writers never fail each other."""
    is_writing = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def _make_tables(engine: Engine) -> None:
    """Make what is missing, bring an older version up to date, and touch nothing of a newer one."""
    version = _read_version(engine)
    if version is None:
        version = _create(engine)
    if version < tables.VERSION:
        _upgrade(engine)
        version = _read_version(engine) or version
    if version != tables.VERSION:
        raise GradebookError(
            f"The gradebook `{shown_url(engine.url)}` has version {version}, this grader {tables.VERSION}.",
            hint="Use the grader that made it, or name another database with --db.",
        )


def _read_version(engine: Engine) -> int | None:
    """The version of the tables that there are; None if there are none, or only some."""
    with connected(engine) as connection:
        if not inspect(connection).has_table(tables.about.name):
            return None
        found: int | None = connection.execute(select(tables.about.c.version)).scalar()
        return found


def _create(engine: Engine) -> int:
    for is_last in (False, True):
        try:
            tables.metadata.create_all(engine)
            break
        except SQLAlchemyError as err:
            # Another process may be making the same tables; then the second look finds them.
            if is_last or isinstance(err, OperationalError):
                raise explain(err, engine.url) from err
    with writing(engine) as connection:
        version: int | None = connection.execute(select(tables.about.c.version)).scalar()
        if version is not None:
            return version
        try:
            with connection.begin_nested():
                connection.execute(insert(tables.about).values(version=tables.VERSION))
        except IntegrityError:
            pass  # written by the other process
    return tables.VERSION


def _upgrade(engine: Engine) -> None:
    """All of it or nothing; whoever comes second waits and finds it done."""
    with writing(engine) as connection:
        query = select(tables.about.c.version).with_for_update()
        upgrade(connection, connection.execute(query).scalar_one())
