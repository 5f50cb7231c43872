"""`grade new`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli._near import finite, one_of
from grader.cli._options import assignment_option
from grader.printable import printable

TRACKS = ("core", "extension")


@click.command("new")
@click.argument("stem")
@click.option("--title", metavar="TEXT", help="What students read. Without it: made from STEM.")
@click.option(
    "--points", type=float, metavar="N", callback=finite, default=20.0, show_default=True,
    help="What the exercise is worth.",
)  # fmt: skip
@click.option(
    "--track",
    callback=one_of(TRACKS, "tracks"),
    metavar="NAME",
    default="core",
    show_default=True,
    help="core: counts in the score. extension: is graded and reported, and does not count.",
)
@click.option(
    "--symbol",
    "symbols",
    multiple=True,
    metavar="NAME",
    help="What students define: a function, or, in CapWords, a class. May be given several times. Without "
    "it: a function called STEM.",
)
@assignment_option()
def command(
    stem: str,
    title: str | None,
    points: float,
    track: str,
    symbols: tuple[str, ...],
    assignment_folder: Path | None,
) -> int:
    """Write all files of a new exercise STEM, and its entry in assignment.toml.

    STEM is a Python name; it names every file of the exercise. What you have to write is marked TODO(author):
    `grade verify` lists what is left, and refuses the exercise until it proves itself. Nothing that is there
    is changed, except that assignment.toml gets an entry at its end.

    \b
    Examples:
      grade new scaled_cosine
      grade new gated_pooling --symbol GatedPooling --title "Gated pooling" --points 10 --track extension
    """
    from grader.authoring.new_exercise import NewExerciseError, add_exercise
    from grader.authoring.skeleton import Wish
    from grader.catalog import find_root

    root = find_root(str(assignment_folder) if assignment_folder else None, Path.cwd())
    shown = title or stem.replace("_", " ").strip().capitalize()
    try:
        written = add_exercise(root, Wish(stem, shown, points, track, symbols or (stem,)))
    except NewExerciseError as err:
        raise click.UsageError(err.message) from err
    for path in written:
        verb = "added to" if path.endswith(".toml") else "wrote"
        print(printable(f"{verb:8}  {path}", one_line=True))
    print(f"\nWrite what is marked TODO(author). What is left: grade verify --exercise {stem} --quick")
    return 0
