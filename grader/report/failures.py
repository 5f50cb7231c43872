"""What went wrong in an exercise, on a terminal: the first thing in full, what repeats it as a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader.report.schema import CheckResult, Diagnosis, ExerciseResult
from grader.report.staff import staff_text
from grader.report.wording import OUTCOME_SENTENCES, OUTCOME_WORDS, points_text, score_text

_OUTPUT_LINES_SHOWN = 10
# Checks that fail for one reason are listed up to this number; beyond it, the first stands for all.
_REPEATS_SHOWN = 3
_SUBJECT = re.compile(r"^[^:`]{1,60}: ")


def print_failures(console: Console, exercise: ExerciseResult, verbose: bool) -> None:
    """The first thing to fix in full, the rest in two lines each; a mistake is named once."""
    failed = [check for check in exercise.checks if check.outcome != "passed"]
    if not failed:
        return
    console.print()
    console.print(Text(f"{exercise.title}  {score_text(exercise.score, exercise.max_score)}", style="bold"))
    groups = list(_alike(failed))
    if len(groups) == 1 and len(groups[0]) == len(exercise.checks) > 1:
        # One thing stopped all of the exercise: say it once, without listing every check.
        _print_reason(console, groups[0])
    else:
        _print_groups(
            console, groups if verbose else list(_alike(_folded(failed))), _repeats(failed), verbose
        )
    _print_output(console, exercise, verbose)


def _print_groups(
    console: Console, groups: list[list[CheckResult]], repeats: Mapping[str, int], verbose: bool
) -> None:
    for number, group in enumerate(groups):
        _print_titles(console, group)
        if verbose or number == 0:
            _print_reason(console, group)
        else:
            _print_short_reason(console, group[0], named=_diagnoses(groups[:number]))
        count = 0 if verbose else repeats.get(group[0].id, 0)
        if count:
            print_indented(
                console, f"and {count} more checks fail for the same reason (-v lists them)", "dim"
            )


def _repeats(checks: Sequence[CheckResult]) -> dict[str, int]:
    """By the id of the first check that fails for a reason: how many follow, where they are folded away."""
    families: dict[object, list[CheckResult]] = {}
    for check in checks:
        families.setdefault(_family(check), []).append(check)
    return {family[0].id: len(family) - 1 for family in families.values() if len(family) > _REPEATS_SHOWN}


def _folded(checks: Sequence[CheckResult]) -> Iterator[CheckResult]:
    """`checks` without those that only repeat an earlier one often."""
    firsts = {_family(check): check.id for check in reversed(checks)}
    repeated = _repeats(checks)
    for check in checks:
        first = firsts[_family(check)]
        if check.id == first or first not in repeated:
            yield check


def _family(check: CheckResult) -> object:
    """What checks have in common that fail for the same reason, whatever each of them looked at."""
    if check.diagnosis is not None:
        return check.outcome, check.diagnosis.misconception
    if check.frames:
        return check.outcome, check.frames[-1]
    sentence = (check.message or "").partition("\n")[0]
    # `The weights: type ...` and `The result: type ...` say the same of two things.
    return check.outcome, _SUBJECT.sub("", sentence) if check.outcome == "failed" else sentence


def _print_output(console: Console, exercise: ExerciseResult, verbose: bool) -> None:
    lines = (exercise.stdout or "").rstrip().split("\n")
    if lines == [""]:
        return
    shown = lines if verbose else lines[:_OUTPUT_LINES_SHOWN]
    console.print(Text("  Printed by your code (public checks only):"))
    for line in shown:
        print_indented(console, line, "dim")
    if len(lines) > len(shown):
        print_indented(console, f"and {len(lines) - len(shown)} more lines with --verbose", "dim")


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
    print_indented(console, message.partition("\n")[0], "")
    for frame in check.frames[-1:]:
        print_indented(console, f"{frame.where}: {frame.code}" if frame.code else frame.where, "cyan")
    if check.diagnosis is not None and check.diagnosis.misconception not in named:
        _print_diagnosis(console, check.diagnosis)
    elif check.diagnosis is None and check.hint:
        print_indented(console, f"Hint: {check.hint}", "green")


def _alike(checks: Iterable[CheckResult]) -> Iterator[list[CheckResult]]:
    """Checks that failed for one and the same reason, together, in order of the first of each."""
    groups: dict[object, list[CheckResult]] = {}
    for check in checks:
        diagnosis = check.diagnosis.misconception if check.diagnosis else None
        groups.setdefault((check.outcome, check.message, check.frames, diagnosis), []).append(check)
    yield from groups.values()


def _print_reason(console: Console, group: Sequence[CheckResult]) -> None:
    first = group[0]
    print_indented(console, first.message or OUTCOME_SENTENCES[first.outcome], "")
    for frame in first.frames:
        print_indented(console, f"{frame.where}: {frame.code}" if frame.code else frame.where, "cyan")
    if first.diagnosis is not None:
        _print_diagnosis(console, first.diagnosis)
    # A hint of one of several checks need not fit the others.
    if first.hint and all(check.hint == first.hint for check in group):
        print_indented(console, f"Hint: {first.hint}", "green")
    for told in dict.fromkeys(staff_text(check) for check in group):
        if told:
            print_indented(console, f"Staff: {told}", "dim")


def _print_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    what = diagnosis.misconception.replace("_", " ")
    print_indented(console, f"Looks like: {what}. {diagnosis.hint}".rstrip(), "yellow")


def print_indented(console: Console, text: str, style: str) -> None:
    console.print(Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, 4), expand=False))
