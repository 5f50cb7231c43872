"""`grade check --watch`: one loop that hears saves, keys and verdicts, and shows the page again.

A verdict belongs to the round of saves that asked for it. Each save starts a new round at once, in a judge of
its own; what older rounds still say is dropped, so code that hangs holds nobody up.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import IO, NoReturn

from grader.errors import GraderError, HarnessError, SubmissionError
from grader.load import load_submission
from grader.practice.changes import batches
from grader.practice.keys import AGAIN, QUIT, Keyboard
from grader.practice.mailbox import Broken, Closed, Key, Mailbox, Saved, Word
from grader.practice.places import Place
from grader.practice.practice import HostLostError, Practice
from grader.practice.screen import Screen
from grader.practice.standing import begin_standing, is_done
from grader.practice.watcher import Watcher
from grader.records import Submission, SuiteRun
from grader.report.schema import ExerciseResult

PATIENCE_S = 3600.0
_GONE = (errno.EIO, errno.EPIPE, errno.ENXIO)
# Judges that may still run for older rounds; beyond that, a new round waits for one of them to end.
MAX_RUNNING = 3
_ENDING_SIGNALS = (signal.SIGHUP, signal.SIGTERM)


class _Ended(BaseException):
    """A signal ends the watch. Not an error: nothing that handles errors may catch it."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.exit_code = 128 + signum


@dataclass
class _Round:
    """What one save asks for: the batches of stems that are still to be judged."""

    number: int = 0
    submission: Submission | None = None
    waiting: list[tuple[str, ...]] = field(default_factory=list)
    asked: tuple[str, ...] = ()
    finished: list[ExerciseResult] = field(default_factory=list)

    @property
    def job(self) -> str:
        return f"round {self.number}"


class Watch:
    """The loop and what it knows."""

    def __init__(self, place: Place, screen: Screen, mailbox: Mailbox) -> None:
        self._place, self._screen, self._mailbox = place, screen, mailbox
        self._practice = Practice(place.assignment)
        self._round = _Round()
        self._running = 0
        self._standing = begin_standing(place.assignment)
        self._shown = ""  # the stem of the exercise on the page
        self._shown_round = 0
        self._problem = ""
        self._is_over = self._is_alone = False

    def run(self) -> int:
        """Until somebody quits; gives the exit code."""
        try:
            self._practice.start()
            self._screen.announce(f"Starting: torch is loaded once. Then `{self._place.path}` is watched.")
            while not self._is_over:
                self._step()
        finally:
            self._practice.close()
        return 0

    def _step(self) -> None:
        try:
            if self._practice.wait(self._mailbox.bell, PATIENCE_S):
                self._hear()
        except HostLostError:
            self._restart()
        for word in self._mailbox.take():
            self._act(word)
        if self._is_alone and (self._standing.exercises or self._problem):
            self._is_over = True  # nobody can quit, so it ends when the first verdict is out

    def _restart(self) -> None:
        """The host died: a new one is asked again what the old one left open."""
        self._practice.start()
        self._running = 0
        if self._round.asked:
            self._round.waiting.insert(0, self._round.asked)
            self._round.asked = ()

    def _hear(self) -> None:
        answer = self._practice.hear()
        if answer is None:
            self._ask()
            return
        job, outcome = answer
        self._running -= 1
        if job == self._round.job and self._round.asked:
            self._take(outcome)
        self._ask()

    def _ask(self) -> None:
        """Send the next batch, if there is one, a host, and a judge to spare."""
        work = self._round
        if not work.waiting or work.asked or not self._practice.is_ready or self._running >= MAX_RUNNING:
            return
        assert work.submission is not None
        work.asked = work.waiting.pop(0)
        self._screen.busy(work.asked)
        self._practice.send(work.job, work.submission, work.asked)
        self._running += 1

    def _take(self, outcome: SuiteRun | GraderError) -> None:
        work = self._round
        asked, work.asked = work.asked, ()
        assert work.submission is not None
        try:
            if isinstance(outcome, GraderError):
                raise outcome
            checked = self._practice.read(work.submission, outcome, asked)
        except GraderError as err:  # ours, or the machine's; the next save may fare better
            work.waiting.clear()
            self._screen.complain(f"{err.message} {err.hint}".strip(), "Save again, or press r.")
            return
        news = [result for result in checked.exercises if not self._standing.is_known_as(result)]
        self._standing = self._standing.updated(checked)
        is_first, self._shown_round = self._shown_round != work.number, work.number
        if is_first:
            self._choose(asked)
        if is_first or news:
            work.finished += [result for result in news if is_done(result)]
            self._show(finished=work.finished)

    def _choose(self, stems: tuple[str, ...]) -> None:
        """Show what was just saved while it is not right, else what comes next."""
        results = [self._standing.find(stem) for stem in stems]
        begun = [r for r in results if r is not None and not is_done(r) and r.status != "not_attempted"]
        if self._shown in [result.stem for result in begun]:
            return
        following = begun or self._standing.open
        self._shown = following[0].stem if following else ""

    # Words --------------------------------------------------------------------------------------------

    def _act(self, word: Word) -> None:
        if isinstance(word, Saved):
            self._look()
        elif isinstance(word, Key):
            self._press(word.name)
        elif isinstance(word, Broken):
            raise HarnessError(word.reason)
        else:
            assert isinstance(word, Closed)
            self._is_alone = True

    def _look(self, *, again: bool = False) -> None:
        """Read the submission, and start a round if anything changed."""
        try:
            submission = load_submission(self._place.path, self._place.assignment)
        except SubmissionError as err:
            self._cannot_read(f"{err.message} {err.hint}".strip())
            return
        before, self._problem = self._round.submission, ""
        found = batches(self._place.assignment, None if again else before, submission, self._shown)
        chosen = self._place.exercises
        wanted = [tuple(stem for stem in batch if not chosen or stem in chosen) for batch in found]
        waiting = [batch for batch in wanted if batch]
        if not waiting:
            return
        # What an older round left undone is as stale as what changed.
        undone = {stem for batch in (self._round.asked, *self._round.waiting) for stem in batch}
        missed = tuple(stem for stem in undone if not any(stem in batch for batch in waiting))
        if missed:
            waiting.append(missed)
        self._round = _Round(self._round.number + 1, submission, waiting)
        self._ask()

    def _cannot_read(self, problem: str) -> None:
        if problem == self._problem:
            return
        self._problem = problem
        self._round = _Round(self._round.number + 1)
        self._screen.complain(problem, "Waiting for it to be saved again.")

    def _press(self, key: str) -> None:
        if key == QUIT:
            self._is_over = True
        elif key == AGAIN:
            self._look(again=True)
        elif key == "h":
            self._show(hints=True)
        elif key == "l":
            self._screen.show_list(self._standing)
        elif key == "n":
            following = self._standing.next_after(self._shown)
            self._shown = following.stem if following is not None else ""
            self._show()

    def _show(self, *, hints: bool = False, finished: Sequence[ExerciseResult] = ()) -> None:
        if not self._standing.exercises:
            return  # nothing is known yet
        focus = self._standing.find(self._shown)
        if focus is not None and is_done(focus):
            focus = self._standing.first
        self._screen.show(self._standing, focus, self._place.path, hints=hints, finished=finished)


def watch_place(place: Place, stream: IO[str], *, hints: bool) -> int:
    """Watch until somebody quits, and leave nothing behind: no process, no strange terminal."""
    mailbox = Mailbox()
    try:
        with (
            _ended_by_signals(),
            Keyboard(mailbox),
            Watcher(place.path, mailbox),
        ):
            return Watch(place, Screen(stream, hints=hints), mailbox).run()
    except KeyboardInterrupt:
        return 0  # Ctrl-C is a way to quit like any other here
    except _Ended as ended:
        return ended.exit_code
    except OSError as err:
        return _leave(err)
    finally:
        mailbox.close()


def _leave(err: OSError) -> int:
    """Nobody reads us any more: what is left to say goes nowhere, also at exit."""
    if err.errno not in _GONE:
        raise err
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return 0


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
    for signum in _ENDING_SIGNALS:
        before[signum] = signal.signal(signum, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(signum: int, frame: FrameType | None) -> NoReturn:
    for each in _ENDING_SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # every wait of the clean-up has a deadline
    raise _Ended(signum)
