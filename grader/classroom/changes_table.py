"""Changes between two gradings on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import IO

from rich import box
from rich.table import Table
from rich.text import Text

from grader.classroom.changes import OTHER_EXERCISES, Changes, Move
from grader.classroom.wording import some_of
from grader.printable import printable
from grader.report.terminal import make_console

CHECKS_NAMED = 3  # more of them are counted by exercise; each has a line in the table of checks
NAMES_SHOWN = 20


def print_changes(changes: Changes, stream: IO[str]) -> None:
    """Who moved, by how much, and why; then the checks that did it; the count last."""
    console = make_console(stream)
    if changes.moves:
        console.print(_moves(changes))
        console.print()
    by_check = changes.by_check()
    if by_check:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column("Check", overflow="fold")
        table.add_column("Newly passed", justify="right", no_wrap=True)
        table.add_column("No longer passed", justify="right", no_wrap=True)
        for check, title, gained, lost in by_check:
            table.add_row(Text(f"{check}: {title}"), str(gained), str(lost))
        console.print(table)
        console.print()
    for what, names in (
        ("New checks", changes.new_checks),
        ("Checks that are gone", changes.gone_checks),
        ("Only in the old one", changes.only_old),
        ("Only in the new one", changes.only_new),
    ):
        if names:
            console.print(Text(f"{what}: {_some(names)}"))
    for check, (before, after) in changes.other_points.items():
        console.print(Text(f"{check} carries {after:g} points instead of {before:g}"))
    if changes.only_graded_before or changes.only_graded_after:
        console.print(Text(_other_exercises(changes)))
    console.print(Text(_count(changes), style="bold"))


def _some(names: Iterable[str]) -> str:
    return some_of([*names], NAMES_SHOWN, lambda name: printable(name, 200, one_line=True))


def _other_exercises(changes: Changes) -> str:
    """Said once, whoever moved by it: the checks of these exercises stand nowhere else."""
    sides = (("before", changes.only_graded_before), ("after", changes.only_graded_after))
    said = "; ".join(f"only {side}: {_some(titles.values())}" for side, titles in sides if titles)
    count = sum(OTHER_EXERCISES in move.causes for move in changes.moves)
    moved = f" for {count} of those that moved" if count else ""
    return f"Other exercises were graded{moved}, whose checks are left out here: {said}"


def _moves(changes: Changes) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Submission", overflow="fold")
    for heading in ("Before", "After", "Change"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Why", overflow="fold")
    for move in changes.moves:
        change = "" if move.change is None else f"{move.change:+g}"
        before = _score(move.before, move.status_before)
        table.add_row(Text(move.id), before, _score(move.after, move.status_after), change, Text(_why(move)))
    return table


def _score(score: float | None, status: str) -> str:
    return (
        f"{score:g}" if score is not None and status in ("graded", "practice") else status.replace("_", " ")
    )


def _why(move: Move) -> str:
    checks = [f"{change.check} {change.before} -> {change.after}" for change in move.checks]
    if len(checks) > CHECKS_NAMED:
        counts = Counter(change.exercise_title for change in move.checks)
        checks = [f"{count} check{'' if count == 1 else 's'} of {name}" for name, count in counts.items()]
    causes = ", ".join(move.causes) or "nothing that is recorded"
    return "; ".join([causes, *checks])


def _count(changes: Changes) -> str:
    up = sum(1 for move in changes.moves if (move.change or 0) > 0)
    down = sum(1 for move in changes.moves if (move.change or 0) < 0)
    total = len(changes.moves) + changes.same
    return f"{len(changes.moves)} of {total} moved: {up} up, {down} down; {changes.same} the same"
