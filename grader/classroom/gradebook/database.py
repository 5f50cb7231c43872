"""A connection to any database, its tables made on first use, its errors told in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, OperationalError, SQLAlchemyError

from grader.classroom.gradebook import tables
from grader.errors import GraderError
from grader.printable import printable

_BUSY_TIMEOUT_S = 30.0


class GradebookError(GraderError):
    """The database cannot be reached, read or written. Result files are not affected."""


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
        raise _explain(err, url) from err
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
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
    """Readers do not stop the writer (WAL), and a killed writer loses nothing that was committed."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()


def _make_tables(engine: Engine) -> None:
    for is_last in (False, True):
        try:
            tables.metadata.create_all(engine)
            break
        except SQLAlchemyError as err:
            # Another process may be making the same tables; then the second look finds them.
            if is_last or isinstance(err, OperationalError):
                raise _explain(err, engine.url) from err
    with connected(engine) as connection:
        version = connection.execute(select(tables.about.c.version)).scalar()
        if version is None:
            version = tables.VERSION
            try:
                with connection.begin_nested():
                    connection.execute(insert(tables.about).values(version=version))
            except IntegrityError:
                version = tables.VERSION  # written by the other process
    if version != tables.VERSION:
        raise GradebookError(
            f"The gradebook `{_shown(engine.url)}` has version {version}, this grader {tables.VERSION}.",
            hint="Use the grader that made it, or name another database with --db.",
        )


@contextmanager
def connected(engine: Engine) -> Iterator[Connection]:
    """One transaction: committed at the end of the block, undone by an exception.

    Raises:
        GradebookError: the database refuses or has gone.
    """
    try:
        with engine.begin() as connection:
            yield connection
    except SQLAlchemyError as err:
        raise _explain(err, engine.url) from err


def _explain(err: Exception, url: URL) -> GradebookError:
    hint = "Without --db the gradebook is a file in the batch's folder."
    if isinstance(err, ModuleNotFoundError | NoSuchModuleError):
        hint = "Install the driver: `pip install 'attention-grader[postgres]'` for PostgreSQL."
    reason = printable(str(getattr(err, "orig", None) or err), 300, one_line=True)
    return GradebookError(f"The gradebook `{_shown(url)}` cannot be used: {reason}.", hint=hint)


def _shown(url: URL) -> str:
    """The database's name without its password."""
    is_file = url.get_backend_name() == "sqlite" and url.database
    return printable(
        str(url.database) if is_file else url.render_as_string(hide_password=True), one_line=True
    )
