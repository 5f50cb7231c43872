"""The student's page on a terminal: how far one is, and the first thing to fix in full.

As in the report, all text is put together as rich `Text` and a student's own text is always indented.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO

from rich.console import Console
from rich.text import Text

from grader.practice.standing import Standing, is_done, passed, to_fix
from grader.report.failures import print_indented
from grader.report.schema import CheckResult, ExerciseResult
from grader.report.terminal import make_console
from grader.report.wording import OUTCOME_SENTENCES, OUTCOME_WORDS, STATUS_WORDS

BAR_WIDTH = 30
OUTPUT_LINES = 10
_MARKS = {"done": ("✓", "ok", "green"), "begun": ("✗", "x", "red"), "untouched": ("·", "-", "dim")}
_BARS = {True: ("█", "░"), False: ("#", "-")}
SAVE_FIRST = "If you have written it: save the file (in Jupyter: File > Save); only what is saved counts."


class Page:
    """Prints on `stream`. `has_keys` says that hints can be asked for with a key."""

    def __init__(self, stream: IO[str], *, hints: bool = False, has_keys: bool = False) -> None:
        self.console: Console = make_console(stream)
        self.hints, self.has_keys = hints, has_keys
        self._is_plain = not self.console.encoding.startswith("utf")

    def show(
        self,
        standing: Standing,
        focus: ExerciseResult | None,
        *,
        hints: bool = False,
        remarks: Sequence[str] = (),
    ) -> None:
        """How far one is, then the exercise `focus`; `hints` shows those that wait."""
        self.show_progress(standing)
        if standing.counting_done and standing.open:
            self._line(_hand_in(standing.counting_done, len(standing.open)), "bold green")
        if focus is not None:
            self.show_exercise(standing, focus, hints=hints, remarks=remarks)
        elif standing.exercises and not standing.open:
            self._line("All exercises pass their public checks. Well done!", "bold green")

    def show_progress(self, standing: Standing) -> None:
        self._line(f"{standing.title}: practice with the public checks", "bold")
        self._line("")
        listed = _worth_a_line(standing.exercises)
        width = max((len(result.title) for result in listed), default=0)
        for result in listed:
            self._overview_line(result, width)
        self._line("")
        for track, name in (("core", "exercises"), ("extension", "extension exercises")):
            chosen = [result for result in standing.exercises if result.track == track]
            if chosen:
                self._bar(sum(map(is_done, chosen)), len(chosen), name)

    def _overview_line(self, result: ExerciseResult, width: int) -> None:
        said = f"{passed(result.checks)} of {len(result.checks)} checks"
        if result.status not in ("passed", "partial", "failed"):
            said = STATUS_WORDS[result.status]
        line = Text("  ").append_text(self._mark(result)).append(f" {result.title:{width}}  ")
        line.append(said, style="dim" if is_done(result) or result.status == "not_attempted" else "")
        self.console.print(line)

    def _mark(self, result: ExerciseResult) -> Text:
        state = "untouched" if result.status in ("not_attempted", "missing") else "begun"
        return self._sign("done" if is_done(result) else state)

    def _sign(self, state: str) -> Text:
        sign, plain, style = _MARKS[state]
        return Text(plain if self._is_plain else sign, style=style)

    def _bar(self, done: int, total: int, name: str) -> None:
        full, empty = _BARS[not self._is_plain]
        filled = BAR_WIDTH * done // total
        bar = (
            Text("  ").append(full * filled, style="green").append(empty * (BAR_WIDTH - filled), style="dim")
        )
        self.console.print(bar.append(f"  {done} of {total} {name} done"))

    def show_exercise(
        self, standing: Standing, result: ExerciseResult, *, hints: bool = False, remarks: Sequence[str] = ()
    ) -> None:
        """The first thing to fix in full, the rest in a line each."""
        self._line("")
        where = f"  ({result.source.path})" if result.source is not None else ""
        self._line(f"{result.title}{where}", "bold")
        for other in standing.in_the_way(result):
            print_indented(
                self.console,
                f"It builds on `{other.stem}`, which does not pass yet: look there first.",
                "yellow",
            )
        failed = to_fix(result)
        if failed and _is_one_thing(result, failed):
            self._reason(standing, failed[0], hints=hints)
        elif failed:
            self._check_line(failed[0])
            self._reason(standing, failed[0], hints=hints)
            for check in failed[1:]:
                self._check_line(check)
        for remark in remarks:
            print_indented(self.console, remark, "yellow")
        self._notes(standing, result)
        self._output(result)

    def _check_line(self, check: CheckResult) -> None:
        line = Text("  ").append_text(self._sign("begun")).append(f" {check.title}")
        self.console.print(line.append(f"  ({OUTCOME_WORDS[check.outcome]})", style="dim"))

    def _reason(self, standing: Standing, check: CheckResult, *, hints: bool) -> None:
        print_indented(self.console, check.message or OUTCOME_SENTENCES[check.outcome], "")
        for frame in check.frames:
            text = f"{frame.where}: {frame.code}" if frame.code else frame.where
            print_indented(self.console, text, "cyan")
        if check.outcome == "not_attempted" and not check.hint:
            print_indented(self.console, SAVE_FIRST, "dim")
        if check.hint and (hints or self.hints or not standing.hint_waits(check)):
            print_indented(self.console, f"Hint: {check.hint}", "green")
        elif check.hint:
            how = "press h" if self.has_keys else "run again with --hints"
            print_indented(self.console, f"There is a hint: {how}.", "dim")

    def _notes(self, standing: Standing, result: ExerciseResult) -> None:
        """Remarks on this exercise's own file, such as a misspelt method."""
        path = result.source.path if result.source is not None else None
        for note in standing.notes:
            if path is not None and note.path == path and note.audience == "student":
                print_indented(self.console, f"Note: {note.text}", "yellow")

    def _output(self, result: ExerciseResult) -> None:
        lines = (result.stdout or "").rstrip().split("\n")
        if lines == [""]:
            return
        self._line("  Printed by your code:")
        for line in lines[:OUTPUT_LINES]:
            print_indented(self.console, line, "dim")
        if len(lines) > OUTPUT_LINES:
            print_indented(self.console, f"and {len(lines) - OUTPUT_LINES} more lines", "dim")

    def show_list(self, standing: Standing) -> None:
        """Every check of every exercise, a line each."""
        self.show_progress(standing)
        for result in standing.exercises:
            self._line("")
            self._line(f"{result.title}  ({result.stem})", "bold")
            for check in result.checks:
                state = "untouched" if check.outcome == "not_attempted" else "begun"
                sign = self._sign("done" if check.outcome == "passed" else state)
                self.console.print(Text("  ").append_text(sign).append(f" {check.title}"))

    def say(self, text: str, style: str = "") -> None:
        """One sentence of ours."""
        self._line(text, style)

    def _line(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style=style))


def _worth_a_line(exercises: Sequence[ExerciseResult]) -> list[ExerciseResult]:
    """All of them; extensions only once one is begun, or nothing else is left to do."""
    core = [result for result in exercises if result.track == "core"]
    is_begun = any(r.track != "core" and r.status not in ("not_attempted", "missing") for r in exercises)
    return list(exercises) if is_begun or all(map(is_done, core)) else core


def _hand_in(counting: int, further: int) -> str:
    """All that counts is done: whoever reads on does so for pleasure."""
    if counting == 1:
        done = "The exercise that counts is done. Hand it in as your course says"
    else:
        done = f"All {counting} exercises that count are done. Hand them in as your course says"
    offered = "1 extension exercise is" if further == 1 else f"{further} extension exercises are"
    return f"{done}; {offered} there if you like."


def _is_one_thing(result: ExerciseResult, failed: Iterable[CheckResult]) -> bool:
    """One thing stopped all of the exercise: it is said once, without listing every check."""
    seen = [(check.outcome, check.message) for check in failed if check.outcome != "skipped"]
    return len(seen) != 1 and len(set(seen)) == 1 and passed(result.checks) == 0
