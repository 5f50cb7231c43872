"""Grades a selection again, as `grade batch --force` does, in a process of its own beside the pages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any

from grader.errors import GraderError
from grader.judge.client import import_path
from grader.printable import printable
from grader.review.desk import Desk
from grader.review.desk_actions import clean_name
from grader.review.desk_records import DeskError

MAX_LINE = 100_000  # bytes of one message
_LINES_SHOWN = 20
# As for the judge host: the import path is ours, whatever folder we were started in.
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from grader.review.desk_regrading import main; raise SystemExit(main())"
)


@dataclass(frozen=True)
class RegradeState:
    """How far it is. `ended` is empty while it runs, then `done`, `failed` or `stopped`.

    `what` says what is being done; `before` and `after` are the scores that count, by submission.
    """

    total: int
    done: int = 0
    what: str = "Starting"
    ended: str = ""
    problem: str = ""
    lines: tuple[str, ...] = ()
    before: Mapping[str, float | None] = field(default_factory=dict)
    after: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def is_running(self) -> bool:
        return not self.ended


class Regrade:
    """One regrade. Results, gradebook, `grades.csv` and pages follow; overrides and comments stay."""

    def __init__(self, desk: Desk, who: str, submissions: Sequence[str]) -> None:
        self._desk = desk
        self._who = clean_name(who)
        self._ids = tuple(dict.fromkeys(submissions))
        self._state = RegradeState(len(self._ids))
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._is_stopped = False

    @property
    def submissions(self) -> tuple[str, ...]:
        return self._ids

    @property
    def who(self) -> str:
        return self._who

    @property
    def state(self) -> RegradeState:
        with self._lock:
            return self._state

    def start(self) -> None:
        """Note who asked, and begin.

        Raises:
            DeskError: there are no such submissions, a batch is at work in the folder, or it was started.
        """
        if self._process is not None:
            raise DeskError("This regrade was started already.")
        if self._desk.folder.is_locked():
            raise DeskError("A `grade batch` is at work in this folder.", hint="Wait for it, or end it.")
        self._desk.ask_for_regrade(self._who, self._ids)
        self._state = replace(self._state, before=self._desk.scores(self._ids))
        request = {
            "folder": str(self._desk.folder.path.resolve()),
            "assignment": self._desk.settings.assignment_root,
            "database": self._desk.database,
            "ids": self._ids,
        }
        errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the process has ended
        self._process = subprocess.Popen(
            [sys.executable, "-E", "-c", _BOOT, json.dumps(import_path())], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdin is not None
        with self._process.stdin as asked:
            asked.write(json.dumps(request).encode())
        self._thread = threading.Thread(target=self._follow, args=[self._process, errors], daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it as Ctrl-C ends a batch: what is graded by then is kept."""
        process = self._process
        if process is not None and process.poll() is None:
            self._is_stopped = True
            os.kill(process.pid, signal.SIGINT)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for its end; False if the time was up first."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return not self.state.is_running

    def _follow(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        problem = ""
        assert process.stdout is not None
        with process.stdout as told:
            for message in _messages(told):
                problem = str(message.get("problem", problem))
                with self._lock:
                    self._state = _told(self._state, message)
        code = process.wait()
        try:
            after: Mapping[str, float | None] = self._desk.scores(self._ids)
        except GraderError as err:
            after, problem = {}, problem or err.message
        if code and not problem and not self._is_stopped:
            problem = f"The process that grades ended with code {code}. {_last_words(errors)}".strip()
        errors.close()
        ended = "stopped" if self._is_stopped else "failed" if problem else "done"
        with self._lock:
            self._state = replace(self._state, ended=ended, problem=problem, after=after)


def _last_words(errors: IO[bytes]) -> str:
    """The last line that the process said of what went wrong."""
    errors.seek(0)
    lines = errors.read(MAX_LINE).decode("utf-8", "replace").split("\n")
    return next((printable(line, 300, one_line=True) for line in reversed(lines) if line.strip()), "")


def _messages(told: IO[bytes]) -> Any:
    while line := told.readline(MAX_LINE):
        try:
            message = json.loads(line)
        except ValueError:
            continue  # something else that was printed
        if isinstance(message, dict):
            yield message


def _told(state: RegradeState, message: Mapping[str, Any]) -> RegradeState:
    """The state with what the process says now."""
    if "begin" in message:
        return replace(state, total=int(message["begin"]), done=0, what=str(message["what"]))
    if "finished" in message:
        return replace(state, done=state.done + 1)
    if "say" in message:
        line = printable(str(message["say"]), 500, one_line=True)
        return replace(state, lines=(*state.lines, line)[-_LINES_SHOWN:])
    return state
