"""The class on a terminal: distributions, hardest checks, commonest mistakes, and who needs a second look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, median
from typing import IO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.classroom.batch import BatchEnd
from grader.classroom.tally import Tally
from grader.classroom.wording import OPENING_LINES, describe_discovery
from grader.printable import printable
from grader.report.terminal import make_console

CHECKS_SHOWN = 8
MISCONCEPTIONS_SHOWN = 8
NAMES_SHOWN = 20
BINS = 5
_BARS = "▁▂▃▄▅▆▇█"


def print_class(end: BatchEnd, stream: IO[str]) -> None:
    """Print what became of a class."""
    console = make_console(stream)
    if end.tally.exercises:
        console.print(_exercise_table(end.tally, _can_draw(console)))
        _print_left_out(console, end.tally)
        _print_checks(console, end.tally)
        _print_misconceptions(console, end.tally)
    _print_apart(console, end)
    _print_discovery(console, end)
    _print_counts(console, end)


def _can_draw(console: Console) -> bool:
    return console.encoding.startswith("utf")


def _exercise_table(tally: Tally, can_draw: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Exercise", overflow="fold", min_width=12)
    for heading in ("Points", "Mean", "Median", "Zero", "Full", "Low to high"):
        table.add_column(heading, justify="right", no_wrap=True)
    for stem, info in tally.exercises.items():
        if tally.is_left_out(stem):
            continue
        title = info.title if info.track == "core" else f"{info.title} (extension)"
        table.add_row(Text(title), *_cells(tally.scores(stem), info.max_score, can_draw))
    largest = sum(info.max_score for info in tally.exercises.values() if info.track == "core")
    table.add_row(Text("Total", style="bold"), *_cells(tally.totals(), largest, can_draw))
    return table


def _print_left_out(console: Console, tally: Tally) -> None:
    count = sum(tally.is_left_out(stem) for stem in tally.exercises)
    if count:
        exercises, them = ("exercise", "it") if count == 1 else ("exercises", "them")
        console.print(Text(f"{count} extension {exercises}: nobody attempted {them}", style="dim"))


def _cells(scores: Sequence[float], largest: float, can_draw: bool) -> list[str]:
    if not scores:
        return [points_of(largest), "-", "-", "-", "-", "-"]
    full = sum(score >= largest - 1e-9 for score in scores)
    return [
        points_of(largest),
        f"{mean(scores):.1f}",
        f"{median(scores):.1f}",
        str(sum(score == 0 for score in scores)),
        str(full),
        distribution(scores, largest, can_draw=can_draw),
    ]


def points_of(number: float) -> str:
    return f"{number:g}"


def distribution(scores: Sequence[float], largest: float, *, can_draw: bool) -> str:
    """How many scores lie in each fifth of the points, lowest first: `3 0 1 8 40` with a bar for each."""
    counts = [0] * BINS
    for score in scores:
        counts[min(int(score / largest * BINS), BINS - 1) if largest else 0] += 1
    numbers = " ".join(str(count) for count in counts)
    if not can_draw:
        return numbers
    steps = len(_BARS) - 1
    bars = "".join(_BARS[-(-count * steps // max(counts))] for count in counts)
    return f"{numbers}  {bars}"


def _print_checks(console: Console, tally: Tally) -> None:
    hardest = tally.hardest_checks()
    if not hardest:
        return
    console.print()
    console.print(Text("Hardest checks", style="bold"))
    table = _plain_table("right", "left", "left")
    for count in hardest[:CHECKS_SHOWN]:
        passed = f"{count.outcomes['passed']} of {count.attempts} passed"
        table.add_row(f"  {passed}", tally.exercises[count.exercise].title, Text(count.title))
    console.print(table)


def _print_misconceptions(console: Console, tally: Tally) -> None:
    found = tally.misconceptions()
    if not found:
        return
    console.print()
    console.print(Text("Commonest mistakes", style="bold"))
    table = _plain_table("right", "left", "left")
    for mistake in found[:MISCONCEPTIONS_SHOWN]:
        name = mistake.name.replace("_", " ")
        title = tally.exercises[mistake.exercise].title
        table.add_row(f"  {mistake.submissions}", title, Text(name))
    console.print(table)


def _plain_table(*sides: str) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for side in sides:
        table.add_column(justify="right" if side == "right" else "left", overflow="fold")
    return table


def _print_apart(console: Console, end: BatchEnd) -> None:
    """What did not get a grade, by name."""
    rows = sorted(end.tally.rows.values(), key=lambda row: row.id)
    _print_list(
        console, "Rejected (the student can fix it)",
        (f"{row.id}: {row.reason}" for row in rows if row.status == "rejected"),
    )  # fmt: skip
    _print_list(
        console, "Need a regrade (our fault, never a zero)",
        (f"{row.id}: {row.reason}" for row in rows if row.status == "needs_regrade"),
    )  # fmt: skip
    _print_list(console, "Results without a submission in the input (kept)", end.gone)


def _print_discovery(console: Console, end: BatchEnd) -> None:
    lines = describe_discovery(end.discovery)[OPENING_LINES:]  # those were said before grading
    console.print()
    if lines:
        console.print(Text("What came in", style="bold"))
    for line in lines[:NAMES_SHOWN]:
        console.print(Text(f"  {line}"))
    if len(lines) > NAMES_SHOWN:
        console.print(Text(f"  and {len(lines) - NAMES_SHOWN} more remarks in summary.json", style="dim"))


def _print_list(console: Console, title: str, lines: Iterable[str]) -> None:
    found = [printable(line, 200, one_line=True) for line in lines]
    if not found:
        return
    console.print()
    console.print(Text(f"{title}: {len(found)}", style="bold"))
    for line in found[:NAMES_SHOWN]:
        console.print(Text(f"  {line}"))
    if len(found) > NAMES_SHOWN:
        console.print(Text(f"  and {len(found) - NAMES_SHOWN} more in summary.json", style="dim"))


def _print_counts(console: Console, end: BatchEnd) -> None:
    """Nothing is dropped: what came in, and what became of it."""
    by_status, total = end.tally.by_status(), len(end.discovery.found)
    graded = by_status["graded"] + by_status["practice"]
    parts = [f"{graded} graded", f"{by_status['rejected']} rejected"]
    parts.append(f"{by_status['needs_regrade']} need a regrade")
    missing = total - len(end.tally.rows)
    if missing:
        parts.append(f"{missing} not graded yet")
    stale = sum(1 for one in end.discovery.found if one.id in end.why and one.id in end.tally.rows)
    outdated = stale - by_status["needs_regrade"]
    if outdated > 0:
        parts.append(f"{outdated} of these out of date")
    console.print(Text(f"{total} submission{'' if total == 1 else 's'}: {', '.join(parts)}", style="bold"))
