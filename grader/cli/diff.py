"""`grade diff`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._options import batch_folder

if TYPE_CHECKING:
    from grader.classroom.changes import ClassView
    from grader.classroom.views import ViewPair


@click.command("diff")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="[NEW]", required=False)
@click.option(
    "--db",
    "database",
    metavar="URL",
    help="OLD and NEW are batches of this gradebook, named by their ids (the beginning is enough).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(old: str, new: str | None, database: str | None, as_json: bool) -> None:
    """Show whose points moved between two gradings of a class, and which checks did it.

    OLD and NEW are folders of `grade batch`, or their summary.json. With one folder only, each
    submission's last run is compared with the one before: what did the last change of the suites do?

    \b
    Examples:
      grade diff week5                 after suites changed and `grade batch` ran again
      grade diff week5 week5-fixed --json
      grade diff --db postgresql://grades@host/course 3f2a 91bc
    """
    from grader.classroom.changes import compare
    from grader.classroom.changes_table import print_changes

    views = _views(old, new, database)
    if views is None:
        print("There is no earlier run to compare with.", file=sys.stderr if as_json else sys.stdout)
        return
    changes = compare(*views)
    if as_json:
        print(json.dumps(changes.as_json(), indent=2))
    else:
        print_changes(changes, sys.stdout)


def _views(old: str, new: str | None, database: str | None) -> ViewPair | None:
    from grader.classroom.folder import BatchFolder
    from grader.classroom.gradebook import open_database
    from grader.classroom.views import ViewPair, last_two, view_of_batch

    if database is not None:
        if new is None:
            raise click.UsageError("With --db, name two batches of the gradebook.")
        with open_database(database) as engine:
            return ViewPair(view_of_batch(engine, old), view_of_batch(engine, new))
    if new is not None:
        return ViewPair(_view(old), _view(new))
    folder = BatchFolder(batch_folder(old))
    settings = folder.read_settings()
    if settings is None or not folder.gradebook.is_file():
        raise click.UsageError(f"`{folder.path}` has no gradebook to look back in: name a second folder.")
    with open_database(folder.gradebook) as engine:
        return last_two(engine, settings.id)


def _view(name: str) -> ClassView:
    from grader.classroom.views import view_of_folder, view_of_summary

    path = Path(name).expanduser()
    return view_of_summary(path) if path.is_file() else view_of_folder(batch_folder(name))
