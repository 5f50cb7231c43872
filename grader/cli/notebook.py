"""`grade notebook`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli._options import assignment_option
from grader.printable import printable


@click.command("notebook")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the notebook goes. Without it: exercises/ID.ipynb, where ID is the assignment's id.",
)
@assignment_option()
def command(output: Path | None, assignment_folder: Path | None) -> int:
    """Write the assignment's notebook anew from its stubs and from exercises/notebook/STEM.md.

    Never edit that notebook by hand: change a stub or a text and run this again. `grade verify` says when the
    two have come apart.

    \b
    Examples:
      grade notebook
      grade notebook -o preview.ipynb
    """
    from grader.authoring.notebook import make_notebook, notebook_path
    from grader.catalog import find_assignment
    from grader.report.writing import write_bytes

    assignment = find_assignment(str(assignment_folder) if assignment_folder else None, Path.cwd())
    path = output or notebook_path(assignment)
    write_bytes(path, make_notebook(assignment).encode())
    print(printable(f"Wrote {path}: {len(assignment.exercises)} exercises.", one_line=True))
    return 0
