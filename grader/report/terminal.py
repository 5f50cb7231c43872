"""A report on a terminal: a table, then what went wrong and where, then the total as the last line.

All text is put together as rich `Text`, so nothing in it is read as markup, and every line of a
student's text is indented, so none can pass for a line of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.printable import printable
from grader.records import Audience
from grader.report.audience import for_audience
from grader.report.schema import CheckResult, DeviceState, Diagnosis, ExerciseResult, Report
from grader.report.wording import (
    DEVICE_WORDS,
    OUTCOME_SENTENCES,
    OUTCOME_WORDS,
    REPORT_WORDS,
    STATUS_WORDS,
    points_text,
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
    for exercise in report.exercises:
        if exercise.status != "passed":
            _print_failures(console, exercise, verbose)
    _print_notes(console, report, verbose)
    if verbose:
        _print_timings(console, timings or {})
    _print_surroundings(console, report)
    if report.status_reason:
        console.print(Text(f"{REPORT_WORDS[report.status]}: {report.status_reason}", style="bold"))
    console.print(_total(report))


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
    """Device states over an exercise's checks, e.g. `cpu ok, pretend failed`."""
    seen: dict[str, set[DeviceState]] = {}
    for check in checks:
        for device, state in check.devices.items():
            seen.setdefault(device, set()).add(state)
    gravest = {device: next(s for s in _GRAVEST_FIRST if s in states) for device, states in seen.items()}
    return ", ".join(f"{device} {DEVICE_WORDS[state]}" for device, state in gravest.items()) or "-"


def _time_text(checks: Sequence[CheckResult]) -> str:
    total = sum(check.duration_s for check in checks)
    return seconds_text(total) if total else "-"


def _print_failures(console: Console, exercise: ExerciseResult, verbose: bool) -> None:
    """The first thing to fix in full, the rest in two lines each; a mistake is named once."""
    groups = list(_alike(check for check in exercise.checks if check.outcome != "passed"))
    if not groups:
        return
    console.print()
    console.print(Text(f"{exercise.title}  {score_text(exercise.score, exercise.max_score)}", style="bold"))
    if len(groups) == 1 and len(groups[0]) == len(exercise.checks) > 1:
        # One thing stopped all of the exercise: say it once, without listing every check.
        _print_reason(console, groups[0])
        return
    for group in groups:
        _print_titles(console, group)
        if verbose or group is groups[0]:
            _print_reason(console, group)
        else:
            _print_short_reason(console, group[0], named=_diagnoses(groups[: groups.index(group)]))


def _print_titles(console: Console, group: Sequence[CheckResult]) -> None:
    mark = "✗ " if console.encoding.startswith("utf") else "x "
    for check in group:
        line = Text("  ").append(mark, style="red")
        line.append(f"{check.title}  ({points_text(check.max_score)}, {OUTCOME_WORDS[check.outcome]})")
        console.print(line)


def _diagnoses(groups: Iterable[Sequence[CheckResult]]) -> set[str]:
    return {check.diagnosis.misconception for group in groups for check in group if check.diagnosis}


def _print_short_reason(console: Console, check: CheckResult, named: set[str]) -> None:
    """The message without its example; the diagnosis only where it is a new one."""
    message = check.message or OUTCOME_SENTENCES[check.outcome]
    _print_indented(console, message.partition("\n")[0], "")
    for frame in check.frames[-1:]:
        _print_indented(console, f"{frame.where}: {frame.code}" if frame.code else frame.where, "cyan")
    if check.diagnosis is not None and check.diagnosis.misconception not in named:
        _print_diagnosis(console, check.diagnosis)
    elif check.diagnosis is None and check.hint:
        _print_indented(console, f"Hint: {check.hint}", "green")


def _alike(checks: Iterable[CheckResult]) -> Iterator[list[CheckResult]]:
    """Checks that failed for one and the same reason, together, in order of the first of each."""
    groups: dict[object, list[CheckResult]] = {}
    for check in checks:
        diagnosis = check.diagnosis.misconception if check.diagnosis else None
        groups.setdefault((check.outcome, check.message, check.frames, diagnosis), []).append(check)
    yield from groups.values()


def _print_reason(console: Console, group: Sequence[CheckResult]) -> None:
    first = group[0]
    _print_indented(console, first.message or OUTCOME_SENTENCES[first.outcome], "")
    for frame in first.frames:
        _print_indented(console, f"{frame.where}: {frame.code}" if frame.code else frame.where, "cyan")
    if first.diagnosis is not None:
        _print_diagnosis(console, first.diagnosis)
    # A hint of one of several checks need not fit the others.
    if first.hint and all(check.hint == first.hint for check in group):
        _print_indented(console, f"Hint: {first.hint}", "green")
    for check in group:
        if check.staff_message and check.staff_message != check.message:
            _print_indented(console, f"Staff: {check.staff_message}", "dim")


def _print_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    what = diagnosis.misconception.replace("_", " ")
    _print_indented(console, f"Looks like: {what}. {diagnosis.hint}".rstrip(), "yellow")


def _print_indented(console: Console, text: str, style: str) -> None:
    console.print(Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, 4), expand=False))


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
        _print_indented(console, f"{staff}{about}: {note.text}" if about else f"{staff}{note.text}", "")
    if not verbose and len(notes) > _NOTES_SHOWN:
        _print_indented(console, f"and {len(notes) - _NOTES_SHOWN} more with --verbose", "dim")


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
