"""A report on a terminal: a table, then what went wrong and where, then the total.

All text is put together as rich `Text`, so nothing in it is read as markup, and every line of a
student's text is indented, so none can pass for a line of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.printable import printable
from grader.records import Audience
from grader.report.audience import for_audience
from grader.report.failures import print_failures, print_indented
from grader.report.schema import CheckResult, DeviceState, Report
from grader.report.wording import (
    DEVICE_WORDS,
    REPORT_WORDS,
    STATUS_WORDS,
    score_text,
    seconds_text,
)

_STATUS_STYLE = {
    "passed": "green",
    "partial": "yellow",
    "failed": "red",
    "unreadable": "red",
    "missing": "red",
    "not_attempted": "dim",
    "needs_regrade": "magenta",
}
# When checks of one exercise saw different things on a device, the first of these is shown.
_GRAVEST_FIRST: tuple[DeviceState, ...] = ("failed", "inconclusive", "passed", "not available")
# Notes shown without --verbose; notebooks can have dozens of left-out cells.
_NOTES_SHOWN = 5
_WIDTH_WHEN_PIPED = 100
PRACTICE_SENTENCE = "Practice: only the checks that you have count here; your course grades with more."


def make_console(stream: IO[str]) -> Console:
    """A console on `stream`: colours only if it is a terminal and `NO_COLOR` is unset."""
    is_terminal = stream.isatty()
    return Console(
        file=stream,
        force_terminal=is_terminal,
        force_jupyter=False,
        width=None if is_terminal else _WIDTH_WHEN_PIPED,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
    )


def print_report(
    report: Report,
    stream: IO[str],
    *,
    audience: Audience = "staff",
    timings: Mapping[str, float] | None = None,
    verbose: bool = False,
) -> None:
    """Print `report` for `audience` on `stream`; with `verbose` also all notes and where the time went."""
    report = for_audience(report, audience)
    console = make_console(stream)
    console.print(_table(report))
    if report.status == "practice":
        console.print(Text(PRACTICE_SENTENCE))
    for exercise in report.exercises:
        # Of an extension that nobody began, the table says enough.
        is_left_out = exercise.track == "extension" and exercise.status == "not_attempted"
        if exercise.status != "passed" and not is_left_out:
            print_failures(console, exercise, verbose)
    _print_notes(console, report, verbose)
    _print_surroundings(console, report)
    if report.status_reason:
        console.print(Text(f"{REPORT_WORDS[report.status]}: {report.status_reason}", style="bold"))
    console.print(_total(report))
    if verbose:
        _print_timings(console, timings or {})


def _table(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Exercise", overflow="fold", min_width=12)
    table.add_column("Points", justify="right", no_wrap=True)
    table.add_column("Status", no_wrap=True)
    table.add_column("Devices", overflow="fold")
    table.add_column("Time", justify="right", no_wrap=True)
    for exercise in report.exercises:
        title = exercise.title if exercise.track == "core" else f"{exercise.title} (extension)"
        status = STATUS_WORDS[exercise.status] + (" *" if exercise.follow_through else "")
        table.add_row(
            Text(title),
            Text(score_text(exercise.score, exercise.max_score)),
            Text(status, style=_STATUS_STYLE[exercise.status]),
            Text(_devices_text(exercise.checks)),
            Text(_time_text(exercise.checks)),
        )
    return table


def _devices_text(checks: Iterable[CheckResult]) -> str:
    """One word where no device tells more than the CPU, else all of them, e.g. `cpu ok, pretend failed`."""
    seen: dict[str, set[DeviceState]] = {}
    for check in checks:
        for device, state in check.devices.items():
            seen.setdefault(device, set()).add(state)
    gravest = {device: next(s for s in _GRAVEST_FIRST if s in states) for device, states in seen.items()}
    cpu = gravest.get("cpu", "passed")
    telling = [state for state in gravest.values() if state not in (cpu, "not available")]
    if cpu != "passed" or not telling:
        return DEVICE_WORDS[cpu] if gravest else "-"
    return ", ".join(f"{device} {DEVICE_WORDS[state]}" for device, state in gravest.items())


def _time_text(checks: Sequence[CheckResult]) -> str:
    total = sum(check.duration_s for check in checks)
    return seconds_text(total) if total else "-"


def _print_notes(console: Console, report: Report, verbose: bool) -> None:
    notes = report.submission.notes
    if not notes:
        return
    console.print()
    console.print(Text("Notes", style="bold"))
    for note in notes if verbose else notes[:_NOTES_SHOWN]:
        place = f"`{note.path}`" if note.path else ""
        if note.line is not None:
            place = f"{place} line {note.line}".strip()
        about = ", ".join(part for part in (note.exercise, place) if part and part not in note.text)
        staff = "(staff) " if note.audience == "staff" else ""
        print_indented(console, f"{staff}{about}: {note.text}" if about else f"{staff}{note.text}", "")
    if not verbose and len(notes) > _NOTES_SHOWN:
        print_indented(console, f"and {len(notes) - _NOTES_SHOWN} more with --verbose", "dim")


def _print_timings(console: Console, timings: Mapping[str, float]) -> None:
    if not timings:
        return
    console.print()
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    for step, seconds in timings.items():
        table.add_row(Text(f"    {step}"), Text(seconds_text(seconds)))
    console.print(Text("Where the time went", style="bold"))
    console.print(table)


def _print_surroundings(console: Console, report: Report) -> None:
    console.print()
    if any("pretend " in _devices_text(exercise.checks) for exercise in report.exercises):
        console.print(Text("pretend: a device that checks what a GPU would, see docs/instructor.md"))
    if any(exercise.follow_through for exercise in report.exercises):
        console.print(Text("* graded with a reference in place of an earlier exercise; see the notes"))
    missing = report.environment.isolation.missing
    if missing:
        level = report.environment.isolation.level
        console.print(
            Text(f"Isolation: {level}, without {', '.join(missing)} (see `grade doctor`)", style="yellow")
        )


def _total(report: Report) -> Text:
    word = "Practice total" if report.status == "practice" else "Total"
    if report.score is None:
        return Text(f"{word} not known: needs regrade", style="bold magenta")
    style = "bold green" if report.score == report.max_score else "bold"
    return Text(f"{word} {score_text(report.score, report.max_score)}", style=style)


@contextmanager
def announced(text: str, stream: IO[str], *, silent: bool = False) -> Iterator[None]:
    """While the body runs, `text` stands on `stream` if that is a terminal; afterwards it is gone."""
    if silent or not stream.isatty():
        yield
        return
    line = printable(text, 79, one_line=True)
    stream.write(line)
    stream.flush()
    try:
        yield
    finally:
        stream.write(f"\r{' ' * len(line)}\r")
        stream.flush()
