"""Runs many submissions through one judge host, each for one exercise and one seed, a few at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.errors import GraderError, Outcome
from grader.judge.client import JudgeHost
from grader.records import Problem, Submission, SuiteRun

# Outcomes that do not say that a check has seen a mistake.
_SAW_NOTHING: tuple[Outcome, ...] = ("passed", "skipped", "harness_error")


@dataclass(frozen=True)
class Attempt:
    """One submission to be graded for the exercise `stem`; `name` is the caller's own key."""

    name: str
    stem: str
    submission: Submission
    seed: int


@dataclass(frozen=True)
class Compared:
    """One comparison of values: the largest error, in units of the tolerance's scale."""

    name: str
    dtype: str
    error: float
    tolerance: float

    @property
    def is_close(self) -> bool:
        return self.error <= self.tolerance


@dataclass(frozen=True)
class CheckRun:
    """A check and all of its cases: the first case that was not passed speaks for it."""

    name: str
    points: float
    outcome: Outcome
    reason: str
    message: str
    staff_message: str
    diagnosis: str
    devices: Mapping[str, str]
    compared: tuple[Compared, ...]
    # Comparisons of the cases that failed because of values.
    failed_values: tuple[Compared, ...]

    @property
    def is_passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def has_caught(self) -> bool:
        return self.outcome not in _SAW_NOTHING


@dataclass(frozen=True)
class AttemptResult:
    """`problem` is set where the exercise was not run at all; `failure` where the grader failed.

    `catalogue` holds the exercise's checks as the suites describe them.
    """

    attempt: Attempt
    checks: tuple[CheckRun, ...] = ()
    catalogue: tuple[Mapping[str, Any], ...] = ()
    problem: Problem | None = None
    failure: GraderError | None = None

    @property
    def score(self) -> float:
        return sum(check.points for check in self.checks if check.is_passed)

    @property
    def max_score(self) -> float:
        return sum(check.points for check in self.checks)

    @property
    def is_full(self) -> bool:
        """Every check passed: also one without points counts."""
        return bool(self.checks) and all(check.is_passed for check in self.checks)

    @property
    def is_caught(self) -> bool:
        """Some check has seen a mistake; one that was skipped has not."""
        return any(check.has_caught for check in self.checks)

    @property
    def broken_checks(self) -> tuple[CheckRun, ...]:
        return tuple(check for check in self.checks if check.outcome == "harness_error")


def run_attempts(
    host: JudgeHost, attempts: Iterable[Attempt], *, device: str, in_flight: int
) -> Iterator[AttemptResult]:
    """Grade every attempt, at most `in_flight` at a time; results come in the order of `attempts`.

    Raises:
        HarnessError: the judge host died.
    """
    host.wait_ready()
    waiting: dict[str, Attempt] = {}
    done: dict[str, AttemptResult] = {}
    shown = 0
    for number, attempt in enumerate(attempts):
        if len(waiting) >= in_flight:
            _receive(host, waiting, done)
        problem = attempt.submission.exercises[attempt.stem].problem
        if problem is not None:
            done[str(number)] = AttemptResult(attempt, problem=problem)
        else:
            host.send(
                str(number), attempt.submission, seed=attempt.seed, device=device, exercises=(attempt.stem,)
            )
            waiting[str(number)] = attempt
        while str(shown) in done:
            yield done.pop(str(shown))
            shown += 1
    while waiting:
        _receive(host, waiting, done)
    while str(shown) in done:
        yield done.pop(str(shown))
        shown += 1


def _receive(host: JudgeHost, waiting: dict[str, Attempt], done: dict[str, AttemptResult]) -> None:
    job, outcome = host.receive()
    attempt = waiting.pop(job)
    if isinstance(outcome, GraderError):
        done[job] = AttemptResult(attempt, failure=outcome)
    else:
        done[job] = summarise(attempt, outcome)


def summarise(attempt: Attempt, run: SuiteRun) -> AttemptResult:
    """What the run says about the checks of the attempt's exercise, in the order in which they ran."""
    cases: dict[str, list[dict[str, Any]]] = {}
    for test in run.pytest_report.get("tests", []):
        record = test["metadata"]["check"]
        cases.setdefault(record["name"], []).append(record)
    catalogue = [entry for entry in run.pytest_report["checks"] if entry["stem"] == attempt.stem]
    return AttemptResult(attempt, tuple(_summarise_check(c) for c in cases.values()), tuple(catalogue))


def _summarise_check(records: Sequence[Mapping[str, Any]]) -> CheckRun:
    first = next((record for record in records if record["outcome"] != "passed"), records[0])
    by_values = [r for r in records if r["outcome"] == "failed" and r["reason"] == "values"]
    failed = (one for record in by_values for one in _comparisons(record) if not one.is_close)
    return CheckRun(
        name=first["name"],
        points=float(first["points"]),
        outcome=first["outcome"],
        reason=first["reason"],
        message=first["message"],
        staff_message=first["staff_message"],
        diagnosis=first["diagnosis"]["misconception"] if first["diagnosis"] else "",
        devices={name: state for record in records for name, state in record["devices"].items()},
        compared=tuple(one for record in records for one in _comparisons(record)),
        failed_values=tuple(failed),
    )


def _comparisons(record: Mapping[str, Any]) -> list[Compared]:
    return [Compared(**margin) for margin in record["margins"]]
