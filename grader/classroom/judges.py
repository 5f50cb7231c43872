"""Judging many submissions at once through one judge host, which is replaced when it dies.

The host forks a judge per submission, so that a judge that dies costs one submission only. When the host
itself or its template dies, a new one is started and gets every submission that was under way again.
"""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Protocol

from grader.catalog import Assignment
from grader.errors import AssignmentError, GraderError, HarnessError
from grader.records import Submission, SuiteRun

MAX_SENDS = 3  # the first and two more


class Host(Protocol):
    """What is needed of `grader.judge.client.JudgeHost`."""

    environment: dict[str, Any]

    def wait_ready(self) -> None: ...
    def send(
        self,
        job: str,
        submission: Submission,
        *,
        seed: int,
        device: str,
        exercises: tuple[str, ...],
        pictures: bool = False,
    ) -> None: ...
    def receive(self) -> tuple[str, SuiteRun | GraderError]: ...
    def wait(self, bell: socket.socket) -> bool: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class JudgeSettings:
    """The same for every submission of a batch."""

    seed: int
    device: str
    isolation: str
    exercises: tuple[str, ...]
    pictures: bool = False


@dataclass(frozen=True)
class Judged:
    """A submission that came back: its run, or why there is none. `environment` is what the host says."""

    submission: Submission
    outcome: SuiteRun | GraderError
    environment: Mapping[str, Any]
    started_at: datetime
    duration_s: float


class Judging(Protocol):
    """What grading a class needs of `Judges`, here or on other machines."""

    deaths: int

    def start(self) -> None: ...
    @property
    def under_way(self) -> int: ...
    def has_room(self, jobs: int | None) -> bool: ...
    def send(self, submission: Submission) -> None: ...
    def receive(self) -> Judged: ...
    def close(self) -> None: ...


@dataclass
class _UnderWay:
    submission: Submission
    started_at: datetime
    began: float
    sends: int = field(default=0)


class Judges:
    """A context manager; submissions are told apart by their ids.

    Raises, from every method: AssignmentError, IsolationError, HarnessError when no host can be started, or
    the assignment turns out to be broken. What came back before stays valid.
    """

    def __init__(
        self, assignment: Assignment, settings: JudgeSettings, start_host: Callable[[], Host] | None = None
    ) -> None:
        self._settings = settings
        self._start_host = start_host or _host_starter(assignment, settings)
        self._host: Host | None = None
        self._under_way: dict[str, _UnderWay] = {}
        self._lost: deque[str] = deque()
        self.deaths = 0

    def start(self) -> None:
        """Begin to start the host, without waiting for it."""
        if self._host is None:
            self._host = self._start_host()

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    def has_room(self, jobs: int | None) -> bool:
        """May another one be sent, when `jobs` (None: as many as there are cores) are judged at a time?"""
        return self.under_way < (jobs or usable_cores())

    def send(self, submission: Submission) -> None:
        self.start()
        assert self._host is not None
        self._host.wait_ready()
        job = _UnderWay(submission, datetime.now(timezone.utc), time.monotonic())
        self._under_way[submission.id] = job
        try:
            self._send(self._host, job)
        except HarnessError:
            self._replace_host()

    def _send(self, host: Host, job: _UnderWay) -> None:
        chosen = self._settings
        job.sends += 1
        host.send(
            job.submission.id,
            job.submission,
            seed=chosen.seed,
            device=chosen.device,
            exercises=chosen.exercises,
            pictures=chosen.pictures,
        )

    def wait(self, bell: socket.socket) -> bool:
        """Wait until `receive` has something; False when only `bell` rang. Only while some are under way."""
        assert self._host is not None
        return bool(self._lost) or self._host.wait(bell)

    def receive(self) -> Judged:
        """The next submission that is done. Call it only while some are under way."""
        while not self._lost:
            assert self._host is not None
            try:
                job, outcome = self._host.receive()
            except HarnessError:
                self._replace_host()
                continue
            if isinstance(outcome, AssignmentError):
                raise outcome  # the same for everybody
            return self._finish(job, outcome)
        job = self._lost.popleft()
        problem = f"The judge host died {MAX_SENDS} times while this submission was judged."
        return self._finish(job, HarnessError(problem))

    def _finish(self, job: str, outcome: SuiteRun | GraderError) -> Judged:
        assert self._host is not None
        done = self._under_way.pop(job)
        duration_s = round(time.monotonic() - done.began, 4)
        return Judged(done.submission, outcome, self._host.environment, done.started_at, duration_s)

    def _replace_host(self) -> None:
        """A new host gets what the dead one had, but not what was sent too often: that may be the killer."""
        while True:
            self.deaths += 1
            if self._host is not None:
                self._host.close()
            self._host = self._start_host()
            self._host.wait_ready()
            try:
                for name, job in self._under_way.items():
                    if name in self._lost:
                        continue
                    if job.sends >= MAX_SENDS:
                        self._lost.append(name)
                    else:
                        self._send(self._host, job)
            except HarnessError:
                continue  # died again; sends are counted, so this ends
            return

    def close(self) -> None:
        if self._host is not None:
            self._host.close()
            self._host = None

    def __enter__(self) -> Judges:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def usable_cores() -> int:
    """Cores that this process may use: fewer than the machine has in a container or a cluster's job."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _host_starter(assignment: Assignment, settings: JudgeSettings) -> Callable[[], Host]:
    def start() -> Host:
        from grader.judge.client import JudgeHost

        return JudgeHost(assignment, isolation=settings.isolation, device=settings.device)

    return start
