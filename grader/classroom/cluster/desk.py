"""Judges submissions that come from several threads, in one judge host that a thread of its own owns.

A Dask worker runs each task in a thread of a pool, but a judge host serves one thread, and on Linux it is
killed when the thread that started it ends. So one thread, the desk's, starts the host and every
replacement, does all sending and receiving, and ends only after the host has.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import NamedTuple

from grader.catalog import Assignment
from grader.classroom.cluster.agreement import Terms, agree
from grader.classroom.judges import Judged, Judges, JudgeSettings
from grader.errors import GraderError, HarnessError
from grader.records import Submission

IDLE_S = 300.0  # a host that nobody needed for so long ends and gives back its memory
CLOSE_PATIENCE_S = 30.0

MakeJudges = Callable[[Assignment, JudgeSettings], Judges]


class DeskClosedError(Exception):
    """The desk takes nothing any more; open another."""


class LeavingError(HarnessError):
    """The worker is shutting down."""


@dataclass(frozen=True)
class _Job:
    submission: Submission
    answer: Future[Judged]


class Desk:
    """Open from the start; closes by itself when idle, and when its host cannot judge."""

    def __init__(self, make_judges: Callable[[], Judges], idle_s: float = IDLE_S) -> None:
        self._make_judges, self._idle_s = make_judges, idle_s
        self._bell, self._button = socket.socketpair()
        self._bell.setblocking(False)
        self._button.setblocking(False)
        self._lock = threading.Lock()
        self._waiting: list[_Job] = []
        self._is_open, self._is_leaving = True, False
        self._thread = threading.Thread(target=self._work, name="grade-desk", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        return self._is_open

    def judge(self, submission: Submission) -> Judged:
        """From any thread: wait until it is judged.

        Raises:
            DeskClosedError: it came too late.
            AssignmentError, IsolationError, HarnessError: the host cannot judge, or was closed meanwhile.
        """
        job = _Job(submission, Future())
        with self._lock:
            if not self._is_open:
                raise DeskClosedError
            self._waiting.append(job)
            self._ring()
        return job.answer.result()

    def close(self) -> None:
        """End the host; what is not judged yet fails."""
        with self._lock:
            self._is_leaving = True
            if self._is_open:
                self._ring()
        self._thread.join(CLOSE_PATIENCE_S)

    def _ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it rings already
            self._button.send(b"!")

    def _work(self) -> None:
        under_way: dict[str, _Job] = {}
        problem: GraderError = LeavingError("The judge host was closed before it was done.")
        try:
            with self._make_judges() as judges:
                self._serve(judges, under_way)
        except GraderError as err:
            problem = err
        except Exception as err:  # noqa: BLE001  # the edge of this thread: whoever waits must be told
            problem = HarnessError(f"The judges failed: {type(err).__name__}: {err}")
        with self._lock:
            self._is_open = False
            self._bell.close()
            self._button.close()
        for job in (*under_way.values(), *self._waiting):
            job.answer.set_exception(problem)

    def _serve(self, judges: Judges, under_way: dict[str, _Job]) -> None:
        """Until it is closed, or idle for too long."""
        sent = 0
        while not self._is_leaving:
            for job in self._take():
                # Another batch, or the same submission sent again, may be under way with the same id.
                sent, name = sent + 1, str(sent)
                under_way[name] = job
                judges.send(replace(job.submission, id=name))
            if not under_way:
                if not self._wait_for_work():
                    return
            elif judges.wait(self._bell):
                judged = judges.receive()
                under_way.pop(judged.submission.id).answer.set_result(judged)

    def _take(self) -> list[_Job]:
        with self._lock:
            with contextlib.suppress(BlockingIOError):
                self._bell.recv(4096)
            jobs, self._waiting = self._waiting, []
        return jobs

    def _wait_for_work(self) -> bool:
        """False when there was none for too long; the desk is closed then."""
        if select.select([self._bell], [], [], self._idle_s)[0]:
            return True
        with self._lock:
            self._is_open = bool(self._waiting)
            return self._is_open


class _Key(NamedTuple):
    """Whose host can serve whom. The digest: a host keeps the suites that it collected at its start."""

    root: str
    digest: str
    settings: JudgeSettings


class Desks:
    """All desks of a process, opened when they are needed."""

    def __init__(self, make_judges: MakeJudges = Judges) -> None:
        self._make_judges = make_judges
        self._lock = threading.Lock()
        self._desks: dict[_Key, Desk] = {}
        self._is_closed = False

    def judge(self, terms: Terms, submission: Submission) -> Judged:
        """From any thread.

        Raises:
            RefusalError: this machine is not fit for the batch.
            AssignmentError, IsolationError, HarnessError: see `Desk.judge`.
        """
        assignment = agree(terms)
        while True:
            with contextlib.suppress(DeskClosedError):
                return self._desk(assignment, terms.settings).judge(submission)

    def _desk(self, assignment: Assignment, settings: JudgeSettings) -> Desk:
        key = _Key(str(assignment.root), assignment.digest, settings)
        with self._lock:
            if self._is_closed:
                raise LeavingError("The worker is shutting down.")
            self._desks = {known: desk for known, desk in self._desks.items() if desk.is_open}
            if key not in self._desks:
                self._desks[key] = Desk(lambda: self._make_judges(assignment, settings))
            return self._desks[key]

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
        for desk in self._desks.values():
            desk.close()
