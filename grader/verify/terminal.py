"""A proof on a terminal: checks and chaffs of each exercise, then margins, a summary, and every problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from grader.printable import printable
from grader.report.terminal import make_console
from grader.report.wording import points_text, seconds_text
from grader.verify.margins import is_tight_enough, is_wide_enough
from grader.verify.prove import Progress as Watcher
from grader.verify.schema import CaseProof, ExerciseProof, MarginProof, Proof, ProofProblem

ONLY = "*"


def print_proof(proof: Proof, stream: IO[str]) -> None:
    """Print the whole of `proof` on `stream`: plain text unless that is a terminal."""
    console = make_console(stream)
    for exercise in proof.exercises:
        _print_exercise(console, exercise)
    _print_margins(console, proof)
    _print_summary(console, proof)
    for note in proof.notes:
        console.print(Text(f"Note: {printable(note, one_line=True)}", style="dim"))
    for number, problem in enumerate(proof.problems, 1):
        _print_problem(console, number, problem)
    console.print(_last_line(proof))


def _print_exercise(console: Console, exercise: ExerciseProof) -> None:
    console.print(Text(f"{exercise.title}  ({exercise.stem}, {points_text(exercise.points)})", style="bold"))
    if exercise.checks:
        console.print(_checks_table(exercise))
    chaffs = [case for case in exercise.cases if case.kind == "chaff"]
    if chaffs:
        console.print(_chaffs_table(exercise, chaffs))
    console.print()


def _table(*columns: str, right: Sequence[str] = ()) -> Table:
    """Only the last column, of names, may be broken into lines."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in columns[:-1]:
        table.add_column(name, justify="right" if name in right else "left", no_wrap=True)
    table.add_column(columns[-1], overflow="fold")
    return table


def _checks_table(exercise: ExerciseProof) -> Table:
    right = ("No", "Points", "Chaffs")
    table = _table("No", "Check", "Kind", "Points", "Chaffs", "Only catcher of", right=right)
    for number, check in enumerate(exercise.checks, 1):
        kind = "device" if check.accelerator else check.visibility
        only = ", ".join(check.only_catcher_of)
        _add(table, str(number), check.name, kind, f"{check.points:g}", str(len(check.catches)), only)
    return table


def _chaffs_table(exercise: ExerciseProof, chaffs: Iterable[CaseProof]) -> Table:
    """By which checks, by their number, each chaff is caught; a star where it is only one."""
    numbers = {check.name: number for number, check in enumerate(exercise.checks, 1)}
    table = _table("Chaff", "Points", "Caught by", right=("Points",))
    for case in chaffs:
        caught = " ".join(str(numbers[name]) for name in case.caught_by if name in numbers)
        star = f" {ONLY} only this one" if case.only_catcher else ""
        points = f"{case.score:g} of {case.max_score:g}"
        _add(table, case.name, points, f"{caught}{star}" if caught else "NOT CAUGHT")
    return table


def _print_margins(console: Console, proof: Proof) -> None:
    rows = [(exercise, margin) for exercise in proof.exercises for margin in exercise.margins]
    if not rows:
        return
    console.print(Text("Margins: 3 x worst wheat <= tolerance <= nearest chaff / 10", style="bold"))
    table = _table("Exercise", "Dtype", "Worst", "Tolerance", "Nearest", "Holds", "Wheat, chaff")
    for exercise, margin in rows:
        _add(table, exercise.stem, *_margin_cells(margin))
    console.print(table)
    console.print()


def _margin_cells(margin: MarginProof) -> tuple[str, ...]:
    nearest, holds = margin.nearest_chaff, is_wide_enough(margin) and is_tight_enough(margin)
    return (
        margin.dtype,
        f"{margin.worst_wheat:.1e}" if margin.is_measured else "-",
        f"{margin.tolerance:.1e}",
        "-" if nearest is None else f"{nearest:.1e}",
        "yes" if holds else "NO",
        f"{margin.worst_wheat_name or '-'}, {margin.nearest_chaff_name or '-'}",
    )


def _print_summary(console: Console, proof: Proof) -> None:
    table = _table(
        "Exercise",
        "Checks",
        "Points",
        "Stub",
        "Reference",
        "Wheats full",
        "Chaffs caught",
        "Best null answer",
    )
    for exercise in proof.exercises:
        _add(table, exercise.stem, *_summary_cells(exercise))
    console.print(table)
    seeds = f"Seeds: {proof.seeds.wheats} for right code, {proof.seeds.chaffs} for chaffs"
    console.print(Text(f"{seeds}; {proof.runs} runs in {seconds_text(proof.duration_s)}."))
    console.print()


def _summary_cells(exercise: ExerciseProof) -> tuple[str, ...]:
    by_kind = {kind: [case for case in exercise.cases if case.kind == kind]
               for kind in ("stub", "reference", "wheat", "chaff", "null")}  # fmt: skip
    points = sum(check.points for check in exercise.checks)
    full = sum(case.score == case.max_score for case in by_kind["wheat"])
    caught = sum(case.score < case.max_score and bool(case.caught_by) for case in by_kind["chaff"])
    best = max(by_kind["null"], key=lambda case: case.score, default=None)
    return (
        str(len(exercise.checks)),
        f"{points:g} of {exercise.points:g}",
        _points(by_kind["stub"]),
        _points(by_kind["reference"]),
        f"{full} of {len(by_kind['wheat'])}",
        f"{caught} of {len(by_kind['chaff'])}",
        f"{best.score:g} ({best.name})" if best is not None else "-",
    )


def _points(cases: Sequence[CaseProof]) -> str:
    return f"{cases[0].score:g}" if cases else "-"


def _add(table: Table, *cells: str) -> None:
    table.add_row(*(Text(printable(cell, 1000, one_line=True)) for cell in cells))


def _print_problem(console: Console, number: int, problem: ProofProblem) -> None:
    head = Text(f"{number}. ", style="bold red")
    console.print(head.append(printable(problem.where, 300, one_line=True), style="bold"))
    _indented(console, problem.message, "")
    _indented(console, problem.advice, "green")


def _indented(console: Console, text: str, style: str) -> None:
    line = Text(printable(text, 1500, one_line=True), style=style, overflow="fold")
    console.print(Padding(line, (0, 0, 0, 4), expand=False))


def _last_line(proof: Proof) -> Text:
    if proof.is_proved:
        return Text(f"Proved: `{proof.assignment}` has no problem.", style="bold green")
    count = len(proof.problems)
    return Text(f"Not proved: {count} problem{'s' if count > 1 else ''}.", style="bold red")


@contextmanager
def watched(stream: IO[str]) -> Iterator[Watcher]:
    """A progress bar on `stream` while the body runs, if that is a terminal."""
    columns = (TextColumn("Proving"), BarColumn(), MofNCompleteColumn(), TextColumn("runs"))
    with Progress(*columns, console=make_console(stream), transient=True, disable=not stream.isatty()) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
