"""`grade bundle`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from grader.cli._near import existing_path, suggest
from grader.cli._options import assignment_option
from grader.cli._results import read_pairs
from grader.printable import printable

EXIT_NOT_GRADED = 3


def _known_bundle(ctx: click.Context, param: click.Parameter, value: str) -> str:
    from grader.bundles.tree import bundle_names

    known = bundle_names()
    if value not in known:
        shown = printable(value, 100, one_line=True)
        near = suggest(shown, known, list_all="bundles")
        raise click.UsageError(f"`{shown}` is not one of the bundles.{near}", ctx)
    return value


@click.command("bundle")
@click.argument("target", callback=_known_bundle)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the bundle goes. Without it: the current folder, under the name that the platform expects.",
)
@click.option(
    "--try",
    "submission",
    callback=existing_path,
    metavar="SUBMISSION",
    help="Write no bundle: build it in a scratch folder, grade SUBMISSION as the platform would, print the "
    "document that the platform would get.",
)
@click.option(
    "--with",
    "given",
    callback=read_pairs,
    metavar="NAME=VALUE",
    multiple=True,
    help="A setting of the platform, as in `--with image=registry.example.edu/grader`. May be given several "
    "times; a wrong name lists all.",
)
@assignment_option()
def command(
    target: str,
    output: Path | None,
    submission: Path | None,
    given: dict[str, str],
    assignment_folder: Path | None,
) -> int:
    """Make what you upload so that a platform runs this grader: grader, assignment and staff parts.

    The bundle holds the references and hidden suites: upload it to nobody but the platform. Only `handout` is
    for students; it holds no staff part, and is refused if a line of a reference is in it.

    \b
    Examples:
      grade bundle handout -o handout.zip
      grade bundle gradescope -o autograder.zip
      grade bundle gradescope --try solutions/
    """
    from grader.bundles.tree import as_zip, load_bundle
    from grader.catalog import find_assignment
    from grader.exports.targets import SettingError
    from grader.report.writing import write_bytes

    bundle = load_bundle(target)
    assignment = find_assignment(str(assignment_folder) if assignment_folder else None, Path.cwd())
    try:
        files = bundle.files(assignment, given)
    except SettingError as err:
        raise click.UsageError(f"{err.message} {err.hint}".strip()) from err
    if submission is None:
        path = output or Path(bundle.file_name)
        write_bytes(path, as_zip(files))
        print(printable(f"Wrote {path}: {len(files)} files.", one_line=True))
        return 0
    with tempfile.TemporaryDirectory(prefix="bundle-") as root:
        trial = bundle.attempt(files, submission, Path(root))
    print(printable(trial.output, 20_000), file=sys.stderr)
    if trial.document is None:
        print(f"grade: the bundle wrote no document (exit code {trial.exit_code}).", file=sys.stderr)
        return EXIT_NOT_GRADED
    sys.stdout.buffer.write(trial.document.encode())
    sys.stdout.flush()
    return 0
