"""The grader's side of the judge host: start it, give it submissions, take runs. Imports no torch."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from types import TracebackType
from typing import IO, Any

from grader.catalog import Assignment
from grader.errors import AssignmentError, GraderError, HarnessError, IsolationError
from grader.judge import transport
from grader.judge.host import JUDGE_DEADLINE_S
from grader.printable import printable
from grader.records import Submission, SuiteRun

START_DEADLINE_S = 180.0
MAX_LAST_WORDS = 1500
LAST_WORDS_PATIENCE_S = 5.0
_ERRORS: dict[str, type[GraderError]] = {"assignment": AssignmentError, "isolation": IsolationError}
# The host's import path is ours, whatever folder we were started in.
_BOOT = "import sys, json; sys.path[:] = json.loads(sys.argv[2]); from grader.judge.host import main; main()"
_DROPPED = (
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "PYTHONBREAKPOINT",
)
# Tokens for an LMS and the like are nothing that a suite needs.
_SECRET_ENDINGS = ("_TOKEN", "_KEY", "_SECRET", "_PASSWORD")


class JudgeHost:
    """A running judge host; a context manager that leaves no process behind."""

    def __init__(
        self, assignment: Assignment | None, *, isolation: str, device: str, probe: bool = False
    ) -> None:
        self._connection, theirs = socket.socketpair()
        self._received = bytearray()
        settings = {
            "assignment": None if assignment is None else str(assignment.root),
            "practice": assignment is not None and assignment.is_practice,
            "isolation": isolation,
            "device": device,
            "probe": probe,
            "fd": theirs.fileno(),
            "parent": os.getpid(),
        }
        # A file and not a pipe, which a host that says much would fill and then wait for us.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed in `close`
        argv = [sys.executable, "-E", "-c", _BOOT, json.dumps(settings), json.dumps(import_path())]
        self._process = subprocess.Popen(
            argv, pass_fds=[theirs.fileno()], cwd="/", env=_environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self._errors, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        self.timings: dict[str, float] = {}
        self.environment: dict[str, Any] = {}
        self._is_ready = False

    def wait_ready(self) -> None:
        """Block until submissions can be judged.

        Raises:
            AssignmentError, IsolationError, HarnessError: it cannot judge; the message says why.
        """
        if self._is_ready:
            return
        message = transport.receive(self._connection, START_DEADLINE_S)
        if message is None:
            raise HarnessError(f"The judge host died while starting. {self._last_words()}".strip())
        if message["ready"] is not True:
            raise _error(message["error"])
        self.timings, self.environment = message["timings"], message["environment"]
        self._is_ready = True

    def send(
        self,
        job: str,
        submission: Submission,
        *,
        seed: int,
        device: str,
        exercises: tuple[str, ...],
        pictures: bool = False,
    ) -> None:
        message = {
            "job": job,
            "submission": transport.submission_to_json(submission),
            "seed": seed,
            "device": device,
            "exercises": list(exercises),
            "pictures": pictures,
        }
        try:
            transport.send(self._connection, transport.pack(message), self._received)
        except OSError as err:
            raise HarnessError(f"The judge host has died. {self._last_words()}".strip()) from err

    def receive(self, deadline_s: float = JUDGE_DEADLINE_S + 60) -> tuple[str, SuiteRun | GraderError]:
        """The next finished job: its name and its run, or what went wrong with it."""
        message = transport.receive(self._connection, deadline_s, self._received)
        if message is None:
            raise HarnessError(f"The judge host has died. {self._last_words()}".strip())
        if "error" in message:
            return message["job"], _error(message["error"])
        return message["job"], transport.run_from_json(message["run"])

    def wait(self, bell: socket.socket, patience_s: float = JUDGE_DEADLINE_S + 60) -> bool:
        """Wait until `receive` has something to say; False when only `bell` has something to read."""
        length = transport.message_length(self._received)
        if length is not None and len(self._received) >= length:
            return True
        ready = select.select([self._connection, bell], [], [], patience_s)[0]
        return bell not in ready or self._connection in ready

    def judge(
        self,
        submission: Submission,
        *,
        seed: int,
        device: str,
        exercises: tuple[str, ...],
        pictures: bool = False,
    ) -> SuiteRun:
        """Send one submission and wait for its run."""
        self.wait_ready()
        self.send("only", submission, seed=seed, device=device, exercises=exercises, pictures=pictures)
        _, outcome = self.receive()
        if isinstance(outcome, GraderError):
            raise outcome
        return outcome

    def _last_words(self) -> str:
        """What the host said as it died; its socket closes a moment before it ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LAST_WORDS_PATIENCE_S)
        if self._process.poll() is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - MAX_LAST_WORDS))
        return printable(self._errors.read().decode("utf-8", "replace").strip(), MAX_LAST_WORDS)

    def close(self) -> None:
        """End the host, its judges, the template and all workers."""
        self._connection.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def __enter__(self) -> JudgeHost:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self.close()


def _error(record: Mapping[str, Any]) -> GraderError:
    kind = _ERRORS.get(record["kind"], HarnessError)
    return kind(str(record["message"]), hint=str(record.get("hint", "")))


def import_path() -> list[str]:
    """Our own import path without the current folder, where a student's `random.py` may lie."""
    here = {"", os.getcwd(), os.path.realpath(os.getcwd())}
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    kept = [entry for entry in sys.path if entry not in here]
    return kept if own in kept else [*kept, own]


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _DROPPED and not name.upper().endswith(_SECRET_ENDINGS)
    }
    # torch makes a folder for its compiler's cache when an optimiser is first used: name one that exists.
    return {**kept, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "TORCHINDUCTOR_CACHE_DIR": tempfile.gettempdir()}  # fmt: skip
