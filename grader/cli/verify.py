"""`grade verify`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._near import suggest
from grader.cli._options import assignment_option
from grader.printable import printable

if TYPE_CHECKING:
    from grader.catalog import Assignment
    from grader.errors import AssignmentError
    from grader.verify.schema import Proof

EXIT_NOT_PROVED = 1
MOST_SEEDS = 1000


@click.command("verify")
@click.option(
    "--exercise",
    "stems",
    multiple=True,
    metavar="STEM",
    help="Only this exercise. May be given several times.",
)
@assignment_option()
@click.option(
    "--seeds",
    type=click.IntRange(1, MOST_SEEDS),
    metavar="N",
    help="With how many seeds right code is graded (50 without it); chaffs with at most 3 of them.",
)
@click.option("--quick", is_flag=True, help="3 seeds for right code and 1 for chaffs, as on every commit.")
@click.option("--json", "as_json", is_flag=True, help="Print the proof as JSON on standard output.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --json and do nothing else.")
def command(
    stems: tuple[str, ...],
    assignment_folder: Path | None,
    seeds: int | None,
    quick: bool,
    as_json: bool,
    schema: bool,
) -> int:
    """Prove the assignment: its checks are fair to right code and catch wrong code.

    Grades every stub (must earn 0), reference and wheat (full points), chaff (caught) and null answer (at
    most a fifth), measures the tolerances, and looks for missing titles, hints, points, labels and for
    answers in what students receive. All problems are listed at once, with file and advice.

    \b
    Examples:
      grade verify --quick
      grade verify --exercise warm_up --seeds 10
      grade verify --json > proof.json

    Exit code 0: proved; 1: there are problems; 2: wrong usage, or a handout without its staff parts;
    3: the grader itself failed.
    """
    if quick and seeds is not None:
        raise click.UsageError("`--quick` and `--seeds` exclude each other: both say how many seeds.")
    if schema:
        return _print_schema()
    from grader.catalog import find_assignment
    from grader.errors import AssignmentError

    try:
        assignment = find_assignment(str(assignment_folder) if assignment_folder else None, Path.cwd())
    except AssignmentError as err:
        return _show_broken(err, as_json=as_json)
    _refuse_handout(assignment)
    _check_stems(stems, assignment)
    return _prove(assignment, stems, seeds, quick=quick, as_json=as_json)


def _print_schema() -> int:
    from grader.verify.schema import proof_json_schema

    click.echo(json.dumps(proof_json_schema(), indent=2))
    return 0


def _refuse_handout(assignment: Assignment) -> None:
    """Students have nothing to prove with; an author who has only begun has a reference or a hidden suite.

    Raises:
        NoAssignmentError: there is neither.
    """
    from grader.errors import NoAssignmentError

    if assignment.has_staff_parts or any(assignment.reference(stem).is_file() for stem in assignment.stems):
        return
    raise NoAssignmentError(
        f"`{assignment.root}` is a handout: the hidden suites and solutions, with which `grade verify` "
        "proves an assignment, are not here."
    )


def _check_stems(stems: tuple[str, ...], assignment: Assignment) -> None:
    for stem in stems:
        if stem not in assignment.stems:
            shown = printable(stem, 100, one_line=True)
            near = suggest(stem, assignment.stems, list_all="exercises")
            raise click.UsageError(f"`{shown}` is not an exercise of `{assignment.id}`.{near}")


def _prove(
    assignment: Assignment, stems: tuple[str, ...], seeds: int | None, *, quick: bool, as_json: bool
) -> int:
    from grader.verify import choose_options, verify_assignment
    from grader.verify.terminal import watched

    options = choose_options(exercises=stems, seeds=seeds, quick=quick)
    with watched(sys.stderr) as progress:
        proof = verify_assignment(assignment, options, progress=progress)
    return _show(proof, as_json=as_json)


def _show(proof: Proof, *, as_json: bool) -> int:
    from grader.verify.terminal import print_proof

    if as_json:
        click.echo(proof.model_dump_json(indent=2))
    else:
        print_proof(proof, sys.stdout)
    return 0 if proof.is_proved else EXIT_NOT_PROVED


def _show_broken(err: AssignmentError, *, as_json: bool) -> int:
    """`assignment.toml` cannot be used: its problems are all that can be said.

    Raises:
        AssignmentError: there is no such file at all.
    """
    from grader.verify.schema import broken_assignment

    if not err.problems and err.__cause__ is None:
        raise err
    return _show(broken_assignment(err.problems or (err.message,)), as_json=as_json)
