"""The steps of grading, in order: load -> sandbox -> suite -> score; the report is the result."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import grader
from grader.catalog import Assignment
from grader.judge.client import JudgeHost
from grader.load import load_submission
from grader.records import SourceText, SuiteRun
from grader.report.schema import Report
from grader.sandbox.probe import sentences
from grader.score import score_run


@dataclass(frozen=True)
class GradeOptions:
    """How to grade; `exercises` are the chosen stems (all when empty), a `seed` of None is random.

    With `pictures` the report also shows what the code computes on public inputs.
    """

    seed: int | None = None
    device: str = "auto"
    isolation: str = "auto"
    exercises: tuple[str, ...] = ()
    pictures: bool = False


@dataclass(frozen=True)
class GradeResult:
    """A finished report, seconds spent by step in the order of the steps, and the files that were read."""

    report: Report
    timings: Mapping[str, float] = field(default_factory=dict)
    sources: tuple[SourceText, ...] = ()


def grade_submission(path: Path, assignment: Assignment, options: GradeOptions) -> GradeResult:
    """Grade the submission at `path`.

    Raises:
        SubmissionError: it cannot be read at all; the student can fix it.
        AssignmentError, IsolationError, HarnessError: nothing was graded, and it is not the student's fault.
    """
    began, started_at = time.monotonic(), datetime.now(timezone.utc)
    seed = options.seed if options.seed is not None else secrets.randbelow(1 << 31)
    with JudgeHost(assignment, isolation=options.isolation, device=options.device) as host:
        submission = load_submission(path, assignment)
        loaded = time.monotonic()
        host.wait_ready()
        ready = time.monotonic()
        run = host.judge(
            submission,
            seed=seed,
            device=options.device,
            exercises=options.exercises,
            pictures=options.pictures,
        )
        judged = time.monotonic()
        environment = describe_run(run, host.environment)
    run = SuiteRun(run.pytest_report, environment, run.exercises, run.timings, run.notes)
    report = score_run(
        assignment,
        submission,
        run,
        seed=seed,
        started_at=started_at,
        duration_s=round(judged - began, 4),
        exercises=options.exercises,
    )
    timings = {"reading the submission": loaded - began, **host.timings, **run.timings}
    timings["start, in all"] = ready - began
    return GradeResult(report, timings, submission.sources)


def describe_run(run: SuiteRun, host: Mapping[str, Any]) -> dict[str, Any]:
    """The environment of a run as the report shows it; `host` says where it was, if not on this machine."""
    layers = [(str(name), bool(active), str(detail)) for name, active, detail in run.environment["layers"]]
    return {
        "python": host.get("python") or platform.python_version(),
        "torch": host["torch"],
        "platform": host.get("platform") or platform.platform(),
        "devices": run.environment["device"],
        "isolation": describe_layers(host["level"], layers),
    }


def describe_layers(level: str, layers: list[tuple[str, bool, str]]) -> dict[str, Any]:
    return {
        "level": level,
        "layers": [{"name": name, "active": active, "detail": detail} for name, active, detail in layers],
        "missing": [name for name, active, _ in layers if not active],
    }


def describe_environment(assignment: Assignment | None = None) -> Mapping[str, Any]:
    """Versions, devices and isolation of this machine, by starting what a grading run starts."""
    with JudgeHost(assignment, isolation="auto", device="auto", probe=True) as host:
        host.wait_ready()
        found = host.environment
    layers = [(str(name), bool(active), str(detail)) for name, active, detail in found["layers"]]
    names = ("torch", "pytest", "pytest-json-report", "nbformat", "click", "pydantic", "rich", "numpy")
    return {
        "versions": {
            "grader": grader.__version__,
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in names},
        },
        "devices": {"cpu": "available", **_accelerators(found["accelerator"])},
        "isolation": {
            **describe_layers(found["level"], layers),
            "sentences": sentences(found["abilities"]),
        },
    }


def _accelerators(name: str | None) -> dict[str, str]:
    if name is not None:
        return {name: "available"}
    return {"accelerator": "not available", "pretend": "device checks run on it"}
