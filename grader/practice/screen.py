"""What `--watch` shows: on a terminal one page that is drawn anew, else pages one below the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from grader.practice.page import Page
from grader.practice.slips import unsaved
from grader.practice.standing import Standing
from grader.printable import printable
from grader.report.schema import ExerciseResult

KEYS = "[h] hint  [n] next exercise  [l] list  [r] run again  [q] quit"
CLEAR = "\x1b[H\x1b[2J"
FORGET_LINE = "\r\x1b[K"


class Screen:
    """Writes to `stream` one page at a time, so that none is seen half drawn.

    Raises:
        OSError: nobody reads any more.
    """

    def __init__(self, stream: IO[str], *, hints: bool) -> None:
        self._stream = stream
        self._page = Page(stream, hints=hints, has_keys=True)
        self._clears = stream.isatty() and not self._page.console.is_dumb_terminal
        self._is_busy = False

    def announce(self, text: str) -> None:
        self._write(lambda: self._page.say(text))

    def busy(self, stems: Sequence[str]) -> None:
        """Says what is being checked, until the next page; only where it can be taken away again."""
        if self._clears:
            line = printable(f"Checking {', '.join(stems)} ...", 79, one_line=True)
            self._put(f"{FORGET_LINE}{line}")

    def complain(self, *sentences: str) -> None:
        """The submission cannot be read at all."""

        def draw() -> None:
            for sentence in sentences:
                self._page.say(sentence, "yellow")
            self._foot()

        self._write(draw)

    def show(
        self,
        standing: Standing,
        focus: ExerciseResult | None,
        path: Path,
        *,
        hints: bool = False,
        finished: Sequence[ExerciseResult] = (),
    ) -> None:
        """The page; `finished` are exercises that pass for the first time."""
        remarks = unsaved(path) if focus is not None and focus.status == "not_attempted" else []

        def draw() -> None:
            self._page.show(standing, focus, hints=hints, remarks=remarks)
            if finished:
                self._page.say(f"\nDone: {', '.join(result.title for result in finished)}.", "bold green")
            self._foot()

        self._write(draw)

    def show_list(self, standing: Standing) -> None:
        def draw() -> None:
            self._page.show_list(standing)
            self._foot()

        self._write(draw)

    def _foot(self) -> None:
        self._page.say(f"\n{time.strftime('%H:%M:%S')}  {KEYS}", "dim")

    def _write(self, draw: Callable[[], None]) -> None:
        with self._page.console.capture() as captured:
            draw()
        self._put(f"{CLEAR if self._clears else ''}{captured.get()}{'' if self._clears else chr(10)}")

    def _put(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
