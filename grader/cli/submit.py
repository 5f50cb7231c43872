"""`grade submit`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli._near import existing_path, finite, one_of, suggest
from grader.errors import AssignmentError, HarnessError, IsolationError, SubmissionError
from grader.printable import printable

if TYPE_CHECKING:
    from grader.catalog import Assignment
    from grader.pipeline import GradeOptions, GradeResult

FORMATS = ("json",)
DEVICES = ("auto", "cpu", "cuda", "mps", "xpu", "pretend")
ISOLATIONS = ("auto", "strict", "process")
AUDIENCES = ("student", "staff")
LARGEST_SEED = 2**53 - 1  # every JSON reader keeps whole numbers up to here exact
EXIT_BELOW, EXIT_NOT_GRADED = 1, 3


@click.command("submit")
@click.argument("path", callback=existing_path)
@click.option(
    "-o",
    "--output",
    metavar="FILE|-",
    default="results.json",
    show_default=True,
    help="Where the result goes. `-` prints it on standard output, and nothing else there.",
)
@click.option(
    "--format",
    "format_",
    callback=one_of(FORMATS, "formats"),
    metavar="NAME",
    default="json",
    show_default=True,
    help="How the result is written.",
)
@click.option(
    "--exercise",
    "stems",
    metavar="STEM",
    multiple=True,
    help="Grade only this exercise (its file name without .py). May be given several times.",
)
@click.option(
    "--device",
    callback=one_of(DEVICES, "devices"),
    metavar="NAME",
    default="auto",
    show_default=True,
    help="Where device checks run, beside the CPU: auto (an accelerator if there is one, else a pretended "
    "one), cpu, cuda, mps, xpu or pretend.",
)
@click.option(
    "--audience",
    callback=one_of(AUDIENCES, "audiences"),
    metavar="WHO",
    default="staff",
    show_default=True,
    help="For whom table and result are: `student` leaves out what is hidden, `staff` shows all.",
)
@click.option(
    "--fail-under",
    type=float,
    metavar="POINTS",
    callback=finite,
    help="End with exit code 1 if the score is lower than this.",
)
@click.option(
    "--assignment",
    "assignment_folder",
    callback=existing_path,
    metavar="DIR",
    help="The folder that holds exercises/assignment.toml. Without it: GRADE_ASSIGNMENT, then the current folder "
    "and those above it, then those above PATH.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    metavar="N",
    help="Seed of the checks' inputs. Without it a random one; the result records it.",
)
@click.option(
    "--isolation",
    callback=one_of(ISOLATIONS, "isolation levels"),
    metavar="LEVEL",
    default="auto",
    show_default=True,
    help="auto: the best this machine has. strict: refuse to grade without full isolation. process: only "
    "a separate process, for code that you trust.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print no table.")
@click.option("-v", "--verbose", is_flag=True, help="Print all notes and where the time went.")
def command(path: Path, **choices: Any) -> int:
    """Grade the submission PATH.

    PATH is a folder, a Python file, a notebook, or a zip or tar archive of these. The table goes to the
    screen and the result to results.json in the current folder.

    \b
    Examples:
      grade submit exercises/
      grade submit homework.ipynb --audience student -o feedback.json
      grade submit alice.zip --exercise masked_softmax -o - | jq .score
    """
    from grader.catalog import find_assignment
    from grader.pipeline import GradeOptions

    _check_output(choices["output"])
    folder = choices["assignment_folder"]
    # The folder that the reader stands in comes first, and a submission is never its own assignment.
    assignment = find_assignment(str(folder) if folder else None, Path.cwd(), path.resolve().parent)
    _check_stems(choices["stems"], assignment)
    options = GradeOptions(
        seed=choices["seed"],
        device=choices["device"],
        isolation=choices["isolation"],
        exercises=choices["stems"],
    )
    result = _grade(path, assignment, options, quiet=choices["quiet"])
    _show(result, choices)
    if result.report.score is None:
        return EXIT_NOT_GRADED
    threshold = choices["fail_under"]
    return EXIT_BELOW if threshold is not None and result.report.score < threshold else 0


def _check_output(output: str) -> None:
    """Wrong targets are refused before any grading."""
    if output == "-":
        return
    target = Path(output)
    if target.is_dir():
        raise click.UsageError(f"`{output}` is a folder; -o takes a file.")
    if not target.absolute().parent.is_dir():
        raise click.UsageError(f"`{output}` cannot be written: there is no folder `{target.parent}`.")


def _check_stems(stems: tuple[str, ...], assignment: Assignment) -> None:
    for stem in stems:
        if stem not in assignment.stems:
            near = suggest(stem, assignment.stems, list_all="exercises")
            raise click.UsageError(f"`{stem}` is not an exercise of `{assignment.id}`.{near}")


def _grade(path: Path, assignment: Assignment, options: GradeOptions, *, quiet: bool) -> GradeResult:
    """Grade; a submission or a grader that fails as a whole becomes a report that says so."""
    from grader.pipeline import GradeResult, grade_submission
    from grader.report.terminal import announced
    from grader.score import needs_regrade_report, rejected_report

    try:
        with announced(f"Grading `{path}` ...", sys.stderr, silent=quiet):
            return grade_submission(path, assignment, options)
    except (SubmissionError, HarnessError, IsolationError, AssignmentError) as err:
        build = rejected_report if isinstance(err, SubmissionError) else needs_regrade_report
        report = build(
            assignment,
            f"{err.message} {err.hint}".strip(),
            submission_id=path.resolve().name,
            exercises=options.exercises,
            seed=options.seed,
        )
        return GradeResult(report)


def _show(result: GradeResult, choices: dict[str, Any]) -> None:
    """Writes the result and prints the table; standard output stays clean with `-o -`."""
    from grader.report.audience import for_audience
    from grader.report.terminal import print_report
    from grader.report.writing import dump_report, write_report

    audience, output = choices["audience"], choices["output"]
    text = dump_report(result.report, audience)
    to_stdout = output == "-"
    if not choices["quiet"]:
        print_report(
            result.report,
            sys.stderr if to_stdout else sys.stdout,
            audience=audience,
            timings=result.timings,
            verbose=choices["verbose"],
        )
    elif result.report.score is None:
        reason = for_audience(result.report, audience).status_reason or ""
        print(f"grade: not graded: {printable(reason, one_line=True)}", file=sys.stderr)
    if to_stdout:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    else:
        write_report(Path(output), text)
