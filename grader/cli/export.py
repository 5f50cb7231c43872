"""`grade export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli._near import existing_path, suggest
from grader.cli._options import batch_folder
from grader.exports.targets import target_names
from grader.printable import printable

if TYPE_CHECKING:
    from grader.exports.gradefile import Export

OUTPUT_FOLDER = "exports"
LINES_SHOWN = 30


def _known_target(ctx: click.Context, param: click.Parameter, value: str) -> str:
    known = target_names("gradefiles")
    if value not in known:
        shown = printable(value, 100, one_line=True)
        near = suggest(shown, known, list_all="targets")
        raise click.UsageError(f"`{shown}` is not one of the targets.{near}", ctx)
    return value


@click.command("export")
@click.argument("target", callback=_known_target)
@click.argument("folder", metavar="DIR")
@click.option(
    "--into",
    callback=existing_path,
    metavar="FILE",
    help="The file that the LMS exported; it is filled and everything else in it stays byte for byte. For "
    "canvas-upload: the zip or folder of downloaded submissions.",
)
@click.option("--column", metavar="NAME", help="The assignment in that file: title, id or whole header.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the grade file goes; further files are put beside it. Without it: DIR/exports/TARGET/.",
)
@click.option("--scale", is_flag=True, help="Convert points where the LMS has another maximum.")
@click.option(
    "--by-name",
    is_flag=True,
    help="Let a name decide that one row and one submission alone have, where no id does.",
)
@click.option("--comments", is_flag=True, help="Fill the file's own column for comments as well.")
@click.option("-n", "--dry-run", is_flag=True, help="Say what would change and write nothing.")
@click.option("--db", "database", metavar="URL", help="The database of the batch, if it was kept in one.")
@click.option("-q", "--quiet", is_flag=True, help="Say only what was not written, and why.")
def command(target: str, folder: str, **choices: Any) -> int:
    """Fill the grade file of an LMS with the grades of the batch in DIR.

    The grades are those that count, with every change by staff. Who needs a regrade keeps what the file has:
    never a zero. Rows and students that do not fit are listed; nothing is guessed.

    \b
    Examples:
      grade export canvas week5 --into gradebook.csv --column "HW 3: Attention"
      grade export moodle week5 --into worksheet.csv
      grade export csv week5 -o grades.csv

    Targets: {targets}.
    """
    from grader.exports.classgrades import ExportError, read_class
    from grader.exports.gradefile import ExportRequest
    from grader.exports.targets import SettingError, load_gradefile

    batch = batch_folder(folder)
    grades = read_class(batch, choices["database"])
    asked = ("into", "column", "scale", "by_name", "comments")
    request = ExportRequest(grades, **{name: choices[name] for name in asked})
    try:
        export = load_gradefile(target).make(request)
    except (SettingError, ExportError) as err:  # the file, column or options given do not fit
        raise click.UsageError(f"{err.message} {err.hint}".strip()) from err
    paths = _places(export, batch / OUTPUT_FOLDER / target, choices["output"], choices["into"])
    if not choices["dry_run"]:
        _write(export, paths)
    _say(export, paths, is_new=choices["into"] is None, quiet=choices["quiet"], is_dry=choices["dry_run"])
    return 0


command.help = (command.help or "").format(targets=", ".join(target_names("gradefiles")))


def _places(export: Export, default: Path, output: Path | None, into: Path | None) -> list[Path]:
    """Where each file goes; never over the file that the LMS exported."""
    if output is None:
        first = default / (into.name if into is not None and into.suffix != ".zip" else export.files[0].name)
    else:
        first = output.expanduser()
        if first.is_dir():
            first = first / export.files[0].name
    paths = [first, *(first.parent / file.name for file in export.files[1:])]
    if into is not None and any(path.resolve() == into.resolve() for path in paths):
        raise click.UsageError(
            f"`{into}` is the file that the LMS exported; keep it and name another with -o."
        )
    return paths


def _write(export: Export, paths: list[Path]) -> None:
    from grader.errors import GraderError
    from grader.report.writing import write_bytes

    try:
        paths[0].parent.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise GraderError(f"`{paths[0].parent}` cannot be made: {err.strerror}.") from err
    for file, path in zip(export.files, paths, strict=True):
        write_bytes(path, file.content)


def _say(export: Export, paths: list[Path], *, is_new: bool, quiet: bool, is_dry: bool) -> None:
    """The counts on standard output, what was not written on standard error."""
    if not quiet:
        if is_dry:
            _list(
                "Would change", [f"{who}: `{before}` -> `{after}`" for who, before, after in export.changes]
            )
        print(_counts(export, is_new=is_new, is_dry=is_dry))
        for path in () if is_dry else paths:
            print(printable(f"Wrote {path}", one_line=True))
        for note in export.notes:
            print(note)
    _list("Not written", [f"{kept.who}: {kept.reason}" for kept in export.kept], sys.stderr)
    rows = [row.shown for row in export.matching.rows_left]
    _list("In the file, without a submission", rows, sys.stderr)
    students = [f"{student.shown}: {reason}" for student, reason in export.matching.students_left]
    _list("Submissions that are not in the file", students, sys.stderr)


def _counts(export: Export, *, is_new: bool, is_dry: bool) -> str:
    count = len(export.changes)
    if is_new:  # there was no grade before that could change or be kept
        without = f", {len(export.kept)} without a grade" if export.kept else ""
        students = "student" if count == 1 else "students"
        return f"{count} {students} {'would be written' if is_dry else 'written'}{without}."
    done = "would change" if is_dry else "changed"
    return f"{count} {done}, {export.same} had their grade already, {len(export.kept)} kept."


def _list(title: str, lines: list[str], stream: Any = None) -> None:
    if not lines:
        return
    print(f"{title} ({len(lines)}):", file=stream)
    for line in lines[:LINES_SHOWN]:
        print(f"  {printable(line, 500, one_line=True)}", file=stream)
    if len(lines) > LINES_SHOWN:
        print(f"  and {len(lines) - LINES_SHOWN} more", file=stream)
