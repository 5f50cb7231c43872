"""`grade status`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from grader.cli._near import existing_path
from grader.cli._options import batch_folder


@click.command("status")
@click.argument("folder", metavar="DIR")
@click.option(
    "--assignment",
    "assignment_folder",
    callback=existing_path,
    metavar="DIR",
    help="The folder that holds exercises/assignment.toml. Without it the one of the batch.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(folder: str, assignment_folder: Path | None, as_json: bool) -> None:
    """Show how the batch in DIR stands: done, missing, out of date, to be graded again.

    A result is out of date when its submission, the suites, the references or the grader changed since.
    Nothing is graded and nothing is changed.

    \b
    Examples:
      grade status week5
      grade status week5 --json | jq '.not_done | map_values(length)'
    """
    from grader.catalog import find_assignment
    from grader.classroom.folder import BatchFolder
    from grader.classroom.standing import look_at, print_standing

    batch = BatchFolder(batch_folder(folder))
    settings = batch.read_settings()
    assert settings is not None  # `batch_folder` has seen the file
    named = str(assignment_folder) if assignment_folder else settings.assignment_root
    standing = look_at(batch, settings, find_assignment(named))
    if as_json:
        print(json.dumps(standing.as_json(), indent=2))
    else:
        print_standing(standing, folder, sys.stdout)
