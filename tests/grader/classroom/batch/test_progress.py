"""A bar where there is a terminal, few plain lines where there is none."""

from __future__ import annotations

import io
from typing import Any

import pytest

from grader.classroom import progress
from grader.classroom.progress import watching


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def _grade(stream: io.StringIO, clock: Clock, total: int, each_s: float) -> list[str]:
    with watching(stream) as watcher:
        watcher.begin(total, "Grading")
        for _ in range(total):
            clock.now += each_s
            watcher.finished("graded")
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(("total", "each_s"), [(10, 0.1), (1000, 0.1), (300, 3.0), (40, 60.0)])
def test_lines_are_few(clock: Clock, total: int, each_s: float) -> None:
    lines = _grade(io.StringIO(), clock, total, each_s)
    spent_s = total * each_s
    assert len(lines) <= 1 + min(spent_s / 2, 20 + spent_s / 30)
    assert lines[-1] == f"Grading: {total} of {total}"


def test_time_left_is_told(clock: Clock) -> None:
    lines = _grade(io.StringIO(), clock, 100, 1.0)
    assert lines[:2] == ["Grading: 5 of 100", "Grading: 10 of 100, 1 min 30 s left"]


def test_time_left_does_not_count_starting_up(clock: Clock) -> None:
    stream = io.StringIO()
    with watching(stream) as watcher:
        watcher.begin(36, "Grading")
        clock.now += 20.0
        for _ in range(8):
            clock.now += 1.0
            watcher.finished("graded")
    assert stream.getvalue().splitlines() == [
        "Grading: 2 of 36", "Grading: 4 of 36", "Grading: 6 of 36, 30 s left", "Grading: 8 of 36, 28 s left"
    ]  # fmt: skip


def test_what_did_not_end_with_a_grade_is_counted(clock: Clock) -> None:
    stream = io.StringIO()
    with watching(stream) as watcher:
        watcher.begin(3, "Grading")
        for status in ("rejected", "needs_regrade", "graded"):
            watcher.finished(status)  # type: ignore[arg-type]
    assert stream.getvalue().splitlines()[-1] == "Grading: 3 of 3, 1 rejected, 1 to grade again"


def test_silent_says_nothing() -> None:
    stream = io.StringIO()
    with watching(stream, silent=True) as watcher:
        watcher.say("hello")
        watcher.begin(1, "Grading")
        watcher.finished("graded")
    assert stream.getvalue() == ""


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def test_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with watching(stream) as watcher:
        watcher.say("[bold]Layout[/] `folders`")
        watcher.begin(2, "Grading")
        watcher.finished("graded")
        watcher.finished("rejected")
    shown = stream.getvalue()
    assert "[bold]Layout[/]" in shown
    assert "2/2" in shown
    assert "1 rejected" in shown


@pytest.mark.parametrize(("seconds", "text"), [(48.2, "48 s"), (185.0, "3 min 05 s"), (7800.0, "2 h 10 min")])
def test_durations(seconds: float, text: str) -> Any:
    assert progress.duration_text(seconds) == text
