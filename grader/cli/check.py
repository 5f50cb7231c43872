"""`grade check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._near import existing_path
from grader.cli._options import assignment_option, check_stems
from grader.errors import GraderError, SubmissionError
from grader.printable import printable

if TYPE_CHECKING:
    from grader.practice.places import Place
    from grader.practice.standing import Standing

EXIT_WRONG_USAGE = 2


@click.command("check")
@click.argument("path", required=False)
@click.option("-w", "--watch", is_flag=True, help="Stay, and check again whenever a file is saved.")
@click.option("--next", "only_next", is_flag=True, help="Show only the exercise to work on next.")
@click.option(
    "--exercise",
    "stems",
    metavar="STEM",
    multiple=True,
    help="Check only this exercise (its file name without .py). May be given several times.",
)
@click.option("--hints", is_flag=True, help="Show the hints at once; without it they wait until asked for.")
@click.option("--list", "lists", is_flag=True, help="List every check of every exercise, a line each.")
@assignment_option(", then those above PATH")
def command(
    path: str | None,
    watch: bool,
    only_next: bool,
    stems: tuple[str, ...],
    hints: bool,
    lists: bool,
    assignment_folder: Path | None,
) -> int:
    """Check your own work with the public checks: PATH, or the exercises of the current folder.

    PATH is a folder, a Python file, a notebook or an archive. Nothing is handed in and nothing is written.
    The first thing to fix is shown in full, with your line and the reason; the rest follows a line each.
    The code runs in a process of its own, but with your rights: check nobody else's, `grade submit` is for
    that.

    \b
    Examples:
      grade check
      grade check --watch
      grade check exercises/warm_up.py --hints
      grade check homework.ipynb --next

    With --watch, single keys do more: h shows the hint, n the next exercise, l lists all checks, r or Enter
    checks again, q quits.
    """
    from dataclasses import replace

    from grader.practice.places import find_place

    place = find_place(_submission(path, may_come=watch), assignment_folder)
    check_stems(stems, place.assignment)
    if stems:
        place = replace(place, exercises=stems)
    if watch:
        from grader.practice.watching import watch_place

        return watch_place(place, sys.stdout, hints=hints)
    return _check_once(place, only_next=only_next, hints=hints, lists=lists)


def _submission(path: str | None, *, may_come: bool) -> Path | None:
    """PATH, which must exist; with --watch its folder must.

    A name without its ending or its folder is answered with the one that is meant.
    """
    if path is None:
        return None
    named = Path(path).expanduser()
    if path and not named.exists():
        tried = [
            named.with_name(f"{named.name}.py"),
            Path("exercises") / path,
            Path("exercises") / f"{path}.py",
        ]
        meant = next((candidate for candidate in tried if candidate.exists()), None)
        if meant is not None:
            shown = printable(path, 300, one_line=True)
            raise click.UsageError(f"`{shown}` does not exist. Did you mean `{meant}`?")
        if may_come and named.parent.is_dir() and named.suffix in (".py", ".ipynb"):
            return named
    return existing_path(None, None, path)


def _check_once(place: Place, *, only_next: bool, hints: bool, lists: bool) -> int:
    from grader.practice.page import Page
    from grader.practice.slips import unsaved

    try:
        standing = _ask(place)
    except SubmissionError as err:
        _explain(err, place)
        return EXIT_WRONG_USAGE
    page = Page(sys.stdout, hints=hints)
    if lists:
        page.show_list(standing)
        return 0
    focus = standing.open[0] if only_next and standing.open else standing.first
    remarks = unsaved(place.path) if focus is not None and focus.status == "not_attempted" else []
    if only_next and focus is not None:
        page.show_exercise(standing, focus, remarks=remarks)
    else:
        page.show(standing, focus, remarks=remarks)
    return 0


def _ask(place: Place) -> Standing:
    from grader.load import load_submission
    from grader.practice.practice import Practice
    from grader.practice.standing import begin_standing
    from grader.report.terminal import announced

    shown = printable(str(place.path), 300, one_line=True)
    submission = load_submission(place.path, place.assignment)
    with announced(f"Checking `{shown}` ...", sys.stderr), Practice(place.assignment) as practice:
        return begin_standing(place.assignment).updated(practice.check(submission, place.exercises))


def _explain(err: GraderError, place: Place) -> None:
    """PATH holds nothing to check: say so, and where the exercises are."""
    own = place.assignment.root / "exercises"
    said = f"{err.message} {err.hint}".strip()
    if own.is_dir() and own.resolve() != place.path.resolve():
        said += f" The exercises of this assignment are in `{own}`."
    print(f"grade: {printable(said, one_line=True)}", file=sys.stderr)
