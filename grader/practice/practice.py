"""A judge host that is kept ready: torch is loaded once, then every question takes a moment."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from types import TracebackType

from grader.catalog import Assignment
from grader.errors import GraderError, HarnessError
from grader.judge.client import JudgeHost
from grader.pipeline import describe_run
from grader.practice.standing import Checked
from grader.records import Submission, SuiteRun
from grader.report.audience import for_audience
from grader.sandbox.isolation import Isolation
from grader.score import score_run

# One seed for all: a verdict changes when the code does, and never else.
SEED = 1
# What a student may use on his own machine is his to say; a real accelerator would take seconds to start.
ISOLATION: Isolation = "process"
DEVICE = "cpu"
MAX_STARTS = 3
# A check's own hint gives away part of the answer. These reasons mean that it is the one that is given; any
# other hint belongs to an error and says what to look for.
HINT_WAITS_FOR = ("values", "gradient", "property")


class HostLostError(HarnessError):
    """The judge host died; a new one is needed."""


class Practice:
    """Asks about submissions to one assignment. Starts a host when there is none, also after one has died."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment.as_handout()
        self._host: JudgeHost | None = None
        self._is_ready = False
        self._starts = 0

    def start(self) -> None:
        """Begin to start a host, if there is none; it imports torch while others go on."""
        if self._host is not None:
            return
        if self._starts >= MAX_STARTS:
            raise HarnessError(f"The judge host died {self._starts} times in a row.")
        self._starts += 1
        self._host = JudgeHost(self.assignment, isolation=ISOLATION, device=DEVICE)
        self._is_ready = False

    @property
    def is_ready(self) -> bool:
        return self._is_ready

    def check(self, submission: Submission, exercises: Sequence[str] = ()) -> Checked:
        """Judge the exercises (all if none is named) and wait for the result.

        Raises:
            AssignmentError, HarnessError: nothing was judged, and it is not the student's fault.
        """
        while True:
            self.start()
            try:
                self._become_ready()
                self.send("only", submission, exercises)
                _, outcome = self.receive()
            except HostLostError:
                continue
            except BaseException:  # interrupted: the answer to this must not be taken for that to the next
                self.close()
                raise
            if isinstance(outcome, GraderError):
                raise outcome
            return self.read(submission, outcome, exercises)

    def send(self, job: str, submission: Submission, exercises: Sequence[str]) -> None:
        """Ask, without waiting for the answer.

        Raises:
            HostLostError: there is no host any more.
        """
        assert self._host is not None
        chosen = tuple(exercises)
        try:
            self._host.send(job, submission, seed=SEED, device=DEVICE, exercises=chosen)
        except HarnessError as err:
            raise self._lost(err) from err

    def wait(self, bell: socket.socket, patience_s: float) -> bool:
        """Wait for the host or for `bell`; True if the host has something to say."""
        assert self._host is not None
        return self._host.wait(bell, patience_s)

    def hear(self) -> tuple[str, SuiteRun | GraderError] | None:
        """What the host says after `wait`: an answer with its job's name, or None when it is ready now.

        Raises:
            HostLostError: it has died.
            AssignmentError: it cannot judge this assignment.
        """
        if not self._is_ready:
            self._become_ready()
            return None
        return self.receive()

    def receive(self) -> tuple[str, SuiteRun | GraderError]:
        assert self._host is not None
        try:
            answer = self._host.receive()
        except HarnessError as err:
            raise self._lost(err) from err
        self._starts = 0
        return answer

    def read(self, submission: Submission, run: SuiteRun, exercises: Sequence[str]) -> Checked:
        """A run as a student sees it."""
        assert self._host is not None
        run = SuiteRun(
            run.pytest_report,
            describe_run(run, self._host.environment),
            run.exercises,
            run.timings,
            run.notes,
        )
        report = score_run(
            self.assignment, submission, run, seed=SEED, started_at=datetime.now(timezone.utc),
            duration_s=0.0, exercises=tuple(exercises),
        )  # fmt: skip
        if report.status == "needs_regrade":
            raise HarnessError(report.status_reason or "The checks could not be run.")
        shown = for_audience(report, "student")
        left_out = {note.text for source in submission.modules.values() for note in source.left_out}
        notes = tuple(note for note in shown.submission.notes if note.text not in left_out)
        return Checked(shown.exercises, _waiting(run.pytest_report), notes)

    def _become_ready(self) -> None:
        assert self._host is not None
        try:
            self._host.wait_ready()
        except HarnessError as err:
            raise self._lost(err) from err
        self._is_ready = True

    def _lost(self, err: HarnessError) -> HostLostError:
        self.close()
        return HostLostError(err.message, hint=err.hint)

    def close(self) -> None:
        """End the host, its judges and all workers."""
        host, self._host = self._host, None
        if host is not None:
            host.close()

    def __enter__(self) -> Practice:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _waiting(report: Mapping[str, object]) -> frozenset[str]:
    """The ids of checks that failed for a reason with which their own hint is given."""
    tests = report.get("tests")
    found = set()
    for test in tests if isinstance(tests, list) else []:
        record = test.get("metadata", {}).get("check", {})
        if record.get("outcome") == "failed" and record.get("reason") in HINT_WAITS_FOR:
            found.add(f"{record['stem']}::{record['name']}")
    return frozenset(found)
