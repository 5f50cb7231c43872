"""How far a batch is: a live bar on a terminal, now and then a plain line elsewhere. All on one stream."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn

from grader.printable import printable
from grader.report.schema import ReportStatus
from grader.report.terminal import make_console
from grader.report.wording import seconds_text

LEAST_BETWEEN_LINES_S = 2.0
LEAST_SHARE_BETWEEN_LINES = 0.05
MOST_BETWEEN_LINES_S = 30.0  # a sign of life, however slow it goes
# The time of the first submissions is mostly that of starting up. The estimate leaves them out, and is made
# once as many again are done.
_STARTING_UP = 3


class Watcher(Protocol):
    """Is told what a batch does, as it does it."""

    def say(self, text: str) -> None:
        """A line that stays."""

    def begin(self, total: int, what: str) -> None:
        """`total` submissions are to be graded now."""

    def finished(self, status: ReportStatus) -> None:
        """One more is done."""


class Silent:
    """Watches nothing."""

    def say(self, text: str) -> None:
        return

    def begin(self, total: int, what: str) -> None:
        return

    def finished(self, status: ReportStatus) -> None:
        return


class _Count:
    """Done, how they ended, and when the rest will be done."""

    def __init__(self) -> None:
        self.total, self.done, self.ended = 0, 0, Counter[ReportStatus]()
        self._counted_from = time.monotonic()

    def begin(self, total: int) -> None:
        self.total, self.done = total, 0
        self.ended.clear()
        self._counted_from = time.monotonic()

    def add(self, status: ReportStatus) -> None:
        self.done += 1
        self.ended[status] += 1
        if self.done == _STARTING_UP:
            self._counted_from = time.monotonic()

    def left_s(self) -> float | None:
        """Seconds until all are done, None while nobody can know."""
        counted = self.done - _STARTING_UP
        if counted < _STARTING_UP:
            return None
        return (time.monotonic() - self._counted_from) / counted * (self.total - self.done)

    def words(self) -> str:
        """What did not end with a grade, and the time left."""
        parts = [f"{self.ended['rejected']} rejected"] if self.ended["rejected"] else []
        if self.ended["needs_regrade"]:
            parts.append(f"{self.ended['needs_regrade']} to grade again")
        left_s = self.left_s()
        if left_s is not None and self.done < self.total:
            parts.append(f"{duration_text(left_s)} left")
        return ", ".join(parts)


def duration_text(seconds: float) -> str:
    """`48 s`, `3 min 05 s` or `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return seconds_text(seconds) if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class _Lines:
    """Plain lines: at most one in two seconds and one for every twentieth of the class."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream, self._count, self._what = stream, _Count(), ""
        self._said_at, self._said_done = time.monotonic(), 0

    def say(self, text: str) -> None:
        print(printable(text, one_line=True), file=self._stream, flush=True)

    def begin(self, total: int, what: str) -> None:
        self._count.begin(total)
        self._what, self._said_at, self._said_done = what, time.monotonic(), 0

    def finished(self, status: ReportStatus) -> None:
        count = self._count
        count.add(status)
        waited_s = time.monotonic() - self._said_at
        moved = (count.done - self._said_done) / count.total
        is_due = waited_s >= LEAST_BETWEEN_LINES_S and moved >= LEAST_SHARE_BETWEEN_LINES
        if is_due or waited_s >= MOST_BETWEEN_LINES_S or count.done == count.total:
            words = count.words()
            self.say(f"{self._what}: {count.done} of {count.total}{', ' if words else ''}{words}")
            self._said_at, self._said_done = time.monotonic(), count.done


class _Bar:
    """A live bar."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._count = progress, _Count()
        self._task: TaskID | None = None

    def say(self, text: str) -> None:
        self._progress.console.print(printable(text, one_line=True), markup=False, highlight=False)

    def begin(self, total: int, what: str) -> None:
        self._count.begin(total)
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(what, total=total, words="")

    def finished(self, status: ReportStatus) -> None:
        self._count.add(status)
        assert self._task is not None
        self._progress.update(self._task, advance=1, words=self._count.words())


@contextmanager
def watching(stream: IO[str], *, silent: bool = False) -> Iterator[Watcher]:
    """A watcher that shows what happens on `stream` for as long as the block runs."""
    if silent:
        yield Silent()
    elif not stream.isatty():
        yield _Lines(stream)
    else:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[words]}"),
        )
        with Progress(*columns, console=make_console(stream), transient=True, refresh_per_second=4) as bar:
            yield _Bar(bar)
