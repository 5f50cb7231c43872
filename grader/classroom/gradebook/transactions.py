"""Transactions to read and to write in, and a database's errors told in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError

from grader.classroom.gradebook import tables
from grader.errors import GraderError
from grader.printable import printable

WRITES = "grader_writes"  # the option of a connection that is going to write


class GradebookError(GraderError):
    """The database cannot be reached, read or written. Result files are not affected."""


@contextmanager
def connected(engine: Engine) -> Iterator[Connection]:
    """One transaction to read in.

    Raises:
        GradebookError: the database refuses or has gone.
    """
    try:
        with engine.begin() as connection:
            yield connection
    except SQLAlchemyError as err:
        raise explain(err, engine.url) from err


@contextmanager
def writing(engine: Engine, batch: str | None = None) -> Iterator[Connection]:
    """One transaction: committed at the end of the block, undone by an exception or a killed process.

    Writers of one `batch` take turns, so that what they read stays true until they are done.

    Raises:
        GradebookError: the database refuses or has gone.
    """
    with connected(engine.execution_options(**{WRITES: True})) as connection:
        if batch is not None:  # SQLite lets in one writer anyway
            connection.execute(
                select(tables.batches.c.id).where(tables.batches.c.id == batch).with_for_update()
            )
        yield connection


def explain(err: Exception, url: URL) -> GradebookError:
    hint = "Without --db the gradebook is a file in the batch's folder."
    if isinstance(err, ModuleNotFoundError | NoSuchModuleError):
        hint = "Install the driver: `pip install 'attention-grader[postgres]'` for PostgreSQL."
    reason = printable(str(getattr(err, "orig", None) or err), 300, one_line=True)
    return GradebookError(f"The gradebook `{shown_url(url)}` cannot be used: {reason}.", hint=hint)


def shown_url(url: URL) -> str:
    """The database's name without its password."""
    is_file = url.get_backend_name() == "sqlite" and url.database
    return printable(
        str(url.database) if is_file else url.render_as_string(hide_password=True), one_line=True
    )
