"""`grade batch`."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli._near import existing_path, one_of
from grader.cli._options import DEVICES, ISOLATIONS, LARGEST_SEED, assignment_option, check_stems
from grader.printable import printable

if TYPE_CHECKING:
    from grader.catalog import Assignment
    from grader.classroom.options import BatchOptions

EXIT_NOT_GRADED, EXIT_INTERRUPTED = 3, 130


def _existing_paths(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[Path, ...]:
    found = (existing_path(ctx, param, one) for one in value)
    return tuple(path for path in found if path is not None)


@click.command("batch")
@click.argument("paths", nargs=-1, metavar="[PATH...]", callback=_existing_paths)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    default="grades",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Where everything goes. Made if it does not exist; one that holds a batch is gone on with.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Submissions that are graded at the same time. Without it: as many as there are cores; with "
    "--cluster twice as many as its workers have threads, at least 32.",
)
@click.option(
    "--exercise",
    "stems",
    metavar="STEM",
    multiple=True,
    help="Grade only this exercise (its file name without .py). May be given several times. A folder that "
    "has results of more exercises is refused without --force.",
)
@click.option(
    "--only",
    metavar="GLOB",
    multiple=True,
    help="Grade only submissions whose id, name, login, e-mail or number fits, as in `--only 'mei*'`. "
    "The others stay as they are. May be given several times.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Grade also what has a result that still holds, and replace results of more exercises.",
)
@click.option(
    "--layout",
    metavar="NAME",
    help="How the download is laid out. Without it, it is recognised and printed.",
)
@click.option(
    "--roster",
    callback=existing_path,
    metavar="CSV",
    help="The class list: tells who is who, and who submitted nothing.",
)
@click.option(
    "--device",
    callback=one_of(DEVICES, "devices"),
    metavar="NAME",
    help="Where device checks run, beside the CPU: auto (the default), cpu, cuda, mps, xpu or pretend.",
)
@click.option(
    "--isolation",
    callback=one_of(ISOLATIONS, "isolation levels"),
    metavar="LEVEL",
    help="strict (the default): refuse to grade without full isolation. auto: the best this machine has. "
    "process: only a separate process, for code that you trust.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    metavar="N",
    help="Seed of the checks' inputs, the same for all. Without it drawn once and kept in DIR.",
)
@assignment_option(", then the one that DIR was graded with")
@click.option(
    "--db",
    "database",
    metavar="URL",
    help="Keep the gradebook in this database (postgresql://user@host/name, ...) and not in "
    "DIR/gradebook.sqlite.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Judge on the workers of the Dask scheduler at this address (tcp://10.0.0.1:8786); everything else "
    "is done here. Needs `pip install 'attention-grader[cluster]'`; see docs/scaling.md.",
)
@click.option(
    "--cluster-assignment",
    metavar="PATH",
    help="The assignment's folder on the workers' machines. Without it: their GRADE_ASSIGNMENT, then the "
    "same path as here.",
)
@click.option(
    "--no-html", is_flag=True, help="Make no feedback pages: a few milliseconds less per submission."
)
@click.option("-q", "--quiet", is_flag=True, help="Print neither progress nor table.")
def command(paths: tuple[Path, ...], folder: Path, **choices: Any) -> int:
    """Grade a whole class: the submissions in PATH...

    PATH is what there is: a folder of folders or of files, a zip of either, or the download of Canvas,
    Moodle, Gradescope, Blackboard, Brightspace, nbgrader or GitHub Classroom. Every submission gets
    DIR/results/<id>.json and its student's page DIR/feedback/<id>.html as soon as it is done; at the end
    there are DIR/summary.json, DIR/grades.csv and DIR/gradebook.sqlite.

    Stop it at any time and run it again: only what has no result, or whose submission, suites or grader
    changed, is graded. Without PATH everything is as it was last time, except for the options given.
    Exit code 3: some still need a regrade, which is our fault and never a zero. 2: wrong usage, and nothing
    is written.

    \b
    Examples:
      grade batch submissions.zip -o week5
      grade batch downloads/ -o week5 --roster class.csv --jobs 8
      grade batch -o week5                      go on with the same submissions
      grade batch -o week5 --only 'mei*' --force
      grade batch submissions.zip -o week5 --cluster tcp://10.0.0.1:8786
    """
    from grader.classroom.batch import run_batch
    from grader.classroom.progress import watching
    from grader.classroom.records import UsageError
    from grader.classroom.table import print_class

    _check_cluster(choices["cluster"], choices["cluster_assignment"])
    assignment = _assignment(choices["assignment_folder"], folder)
    check_stems(choices["stems"], assignment)
    options = _options(paths, folder, choices)
    try:
        with watching(sys.stderr, silent=choices["quiet"]) as watcher:
            end = run_batch(options, assignment, watcher)
    except UsageError as err:
        raise click.UsageError(f"{err.message} {err.hint}".strip()) from err
    except KeyboardInterrupt:
        shown = printable(str(folder), one_line=True)
        said = f"grade: interrupted; what is done is kept in `{shown}`. Run it again to go on."
        print(said, file=sys.stderr)
        return EXIT_INTERRUPTED
    if not choices["quiet"]:
        print_class(end, sys.stdout)
        place = printable(str(options.folder), one_line=True)
        pages = "" if choices["no_html"] else f", pages for students: {place}/feedback/"
        print(f"Grades: {place}/grades.csv, reports: {place}/results/{pages}")
    if end.needs_regrade:
        print(f"grade: {end.needs_regrade} not graded: see `needs_regrade` in summary.json.", file=sys.stderr)
    return EXIT_NOT_GRADED if end.needs_regrade else 0


def _check_cluster(address: str | None, place: str | None) -> None:
    if address is None and place is not None:
        raise click.UsageError("`--cluster-assignment` says nothing without `--cluster ADDRESS`.")
    if address is not None and find_spec("distributed") is None:
        raise click.UsageError(
            "`--cluster` needs Dask, which is not installed: pip install 'attention-grader[cluster]'"
        )


def _options(paths: tuple[Path, ...], folder: Path, choices: dict[str, Any]) -> BatchOptions:
    from grader.classroom.options import BatchOptions

    return BatchOptions(
        paths=paths,
        folder=folder.expanduser(),
        jobs=choices["jobs"],
        layout=choices["layout"],
        roster=choices["roster"],
        exercises=choices["stems"] or None,
        only=choices["only"],
        device=choices["device"],
        isolation=choices["isolation"],
        seed=choices["seed"],
        force=choices["force"],
        database=choices["database"],
        cluster=choices["cluster"],
        cluster_assignment=choices["cluster_assignment"],
        pages=not choices["no_html"],
    )


def _assignment(explicit: Path | None, folder: Path) -> Assignment:
    """As for one submission; a batch that is gone on with knows its assignment itself."""
    from grader.catalog import find_assignment
    from grader.classroom.folder import BatchFolder
    from grader.errors import AssignmentError

    try:
        return find_assignment(str(explicit) if explicit else None, Path.cwd())
    except AssignmentError as err:
        known = BatchFolder(folder).read_settings()
        if explicit or known is None or err.problems:
            raise
        return find_assignment(known.assignment_root)
