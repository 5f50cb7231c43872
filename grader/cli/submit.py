"""`grade submit`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli._near import existing_path, finite, one_of
from grader.cli._options import DEVICES, ISOLATIONS, LARGEST_SEED, assignment_option, check_stems
from grader.cli._pages import PAGE_FILE, PageDelivery, choose_page, require_path
from grader.cli._results import AUDIENCES, choose_delivery, format_options
from grader.errors import AssignmentError, HarnessError, IsolationError, NoAssignmentError, SubmissionError
from grader.printable import printable

if TYPE_CHECKING:
    from grader.catalog import Assignment
    from grader.cli._results import Delivery
    from grader.pipeline import GradeOptions, GradeResult

EXIT_BELOW, EXIT_NOT_GRADED = 1, 3


@click.command("submit")
@click.argument("path", metavar="PATH", callback=existing_path, required=False)
@click.option(
    "-o",
    "--output",
    metavar="FILE|-",
    help="Where the result goes: results.json, or where the format belongs. `-` prints it, "
    "and nothing else on standard output.",
)
@format_options(needs_format=False)
@click.option(
    "--html",
    is_flag=False,
    flag_value=PAGE_FILE,
    metavar="[FILE]",
    help="Write the result as a page for a browser, too: results.html, or FILE. It needs no network, and "
    "shows the code and pictures of what it computes.",
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
    help="For whom table and result are: `student` leaves out what is hidden, `staff` shows all. Without it: "
    "staff, or whom the format is for.",
)
@click.option(
    "--fail-under",
    type=float,
    metavar="POINTS",
    callback=finite,
    help="End with exit code 1 if the score is lower than this.",
)
@assignment_option(", then those above PATH")
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
def command(path: Path | None, **choices: Any) -> int:
    """Grade the submission PATH.

    PATH is a folder, a Python file, a notebook, or a zip or tar archive of these. The table goes to the
    screen and the result to results.json in the current folder.

    \b
    Examples:
      grade submit exercises/
      grade submit homework.ipynb --audience student -o feedback.json
      grade submit homework.ipynb --html        a page for a browser: results.html
      grade submit alice.zip --exercise warm_up -o - | jq .score
      grade submit /autograder/submission --format gradescope -o /autograder/results/results.json
    """
    path = require_path(path, choices["html"])
    delivery = choose_delivery(
        choices["format_"], choices["given"], choices["audience"], choices["output"], submission=path
    )
    page = choose_page(choices["html"], delivery.output, path)
    try:
        return _run(path, delivery, page, choices)
    except (click.ClickException, NoAssignmentError):
        raise  # wrong usage: nothing is touched
    except Exception:
        delivery.take_back()
        page.take_back()
        raise


def _run(path: Path, delivery: Delivery, page: PageDelivery, choices: dict[str, Any]) -> int:
    from grader.catalog import find_assignment
    from grader.pipeline import GradeOptions

    folder = choices["assignment_folder"]
    # The folder that the reader stands in comes first, and a submission is never its own assignment.
    assignment = find_assignment(
        str(folder) if folder else None, Path.cwd(), path.resolve().parent, submission=path
    )
    check_stems(choices["stems"], assignment)
    options = GradeOptions(
        seed=choices["seed"],
        device=choices["device"],
        isolation=choices["isolation"],
        exercises=choices["stems"],
        pictures=bool(page.output),
    )
    quiet = choices["quiet"] or not delivery.shows_table
    result = _grade(path, assignment, options, quiet=quiet)
    is_delivered = _show(result, delivery, _root_of(path), quiet=quiet, verbose=choices["verbose"])
    if page.write(result, delivery.audience) and not quiet and not delivery.to_stdout:
        print(f"Page: {printable(page.output, one_line=True)}")
    if result.report.score is None or not is_delivered:
        return 0 if is_delivered and delivery.target.ends_well else EXIT_NOT_GRADED
    threshold = choices["fail_under"]
    return EXIT_BELOW if threshold is not None and result.report.score < threshold else 0


def _root_of(path: Path) -> str:
    """The submission's folder as seen from the current one; empty if it lies elsewhere."""
    folder = path.resolve() if path.is_dir() else path.resolve().parent
    try:
        return folder.relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return ""


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


def _show(result: GradeResult, delivery: Delivery, root: str, *, quiet: bool, verbose: bool) -> bool:
    """Writes the result and prints the table; standard output stays clean with `-o -`.

    False if there is no document for this result.
    """
    from grader.report.audience import for_audience
    from grader.report.terminal import print_report

    report, audience = result.report, delivery.audience
    if not quiet:
        stream = sys.stderr if delivery.to_stdout else sys.stdout
        print_report(report, stream, audience=audience, timings=result.timings, verbose=verbose)
    is_delivered = delivery.deliver(report, root)
    if is_delivered and not quiet and not delivery.to_stdout:
        print(f"Result: {printable(delivery.output, one_line=True)}")
    if quiet and report.score is None and delivery.shows_table:
        reason = for_audience(report, audience).status_reason or ""
        print(f"grade: not graded: {printable(reason, one_line=True)}", file=sys.stderr)
    return is_delivered
