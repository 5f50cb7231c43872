"""Proves an assignment: grades what must earn nothing, all, or something in between, and says what does not.

How it works: what can be read off the files is looked at while the judge host starts. Then stubs, references,
null answers, wheats and chaffs go through that one host, and the rules of each kind are held against what
came back. Nothing stops at the first problem.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.catalog import Assignment
from grader.errors import AssignmentError, GraderError, HarnessError
from grader.judge.client import JudgeHost
from grader.verify.attempts import Attempt, AttemptResult, run_attempts
from grader.verify.files import find_labelled, missing_files, silent_mistakes, stray_folders
from grader.verify.margins import measure_margins
from grader.verify.rulings import broken_checks, describe_case, device_problems, margin_problems, rule
from grader.verify.schema import CaseProof, CheckProof, ExerciseProof, Proof, ProofProblem, Seeds
from grader.verify.subjects import (
    Graded,
    Subject,
    case_subjects,
    fixed_subjects,
    read_sources,
    stub_problems,
)
from grader.verify.suites import catalogue_problems, written_problems
from grader.verify.unfinished import stale_notebook, unfinished

DEFAULT_SEEDS = 50
QUICK_SEEDS = 3
# Chaffs are many and far from the tolerance; a few seeds show whether they are caught by luck.
CHAFF_SEEDS = 3
QUICK_CHAFF_SEEDS = 1
MAX_IN_FLIGHT = 8

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class VerifyOptions:
    """`exercises` are the chosen stems, all when empty; `device` is where device checks run off the CPU."""

    wheat_seeds: int = DEFAULT_SEEDS
    chaff_seeds: int = CHAFF_SEEDS
    exercises: tuple[str, ...] = ()
    device: str = "pretend"
    isolation: str = "auto"


def choose_options(
    *, exercises: tuple[str, ...] = (), seeds: int | None = None, quick: bool = False
) -> VerifyOptions:
    """What the command line asks for; chaffs get at most as many seeds as right code."""
    if quick:
        return VerifyOptions(QUICK_SEEDS, QUICK_CHAFF_SEEDS, exercises)
    chosen = DEFAULT_SEEDS if seeds is None else seeds
    return VerifyOptions(chosen, min(chosen, CHAFF_SEEDS), exercises)


@dataclass
class _Gathered:
    """What is known so far."""

    problems: list[ProofProblem] = field(default_factory=list)
    subjects: list[Subject] = field(default_factory=list)
    graded: list[Graded] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def of(self, stem: str) -> list[Graded]:
        return [one for one in self.graded if one.subject.stem == stem]


def no_progress(done: int, total: int) -> None:
    """Used where nobody watches."""


def verify_assignment(
    assignment: Assignment, options: VerifyOptions, *, progress: Progress = no_progress
) -> Proof:
    """Prove `assignment`; `progress` is told (done, total) runs.

    Raises:
        HarnessError, IsolationError: we failed; nothing is said of the assignment.
    """
    began = time.monotonic()
    stems = options.exercises or assignment.stems
    gathered = _Gathered()
    with JudgeHost(assignment, isolation=options.isolation, device=options.device) as host:
        _look_at_files(assignment, stems, gathered)
        _prepare(assignment, stems, options, gathered)
        try:
            host.wait_ready()
        except AssignmentError as err:
            gathered.problems.append(_unprepared(err))
        else:
            gathered.graded += _grade(host, gathered.subjects, options, progress)
    exercises = tuple(_conclude(assignment, stem, gathered) for stem in stems)
    return Proof(
        is_proved=not gathered.problems,
        assignment=assignment.id,
        digest=assignment.digest,
        seeds=Seeds(wheats=options.wheat_seeds, chaffs=options.chaff_seeds),
        exercises=exercises,
        problems=tuple(gathered.problems),
        notes=tuple(gathered.notes),
        runs=sum(len(one.results) for one in gathered.graded),
        duration_s=round(time.monotonic() - began, 2),
    )


def _look_at_files(assignment: Assignment, stems: Sequence[str], gathered: _Gathered) -> None:
    if len(stems) == len(assignment.stems):
        gathered.problems += stray_folders(assignment)
    gathered.problems += stale_notebook(assignment)
    gathered.problems += stub_problems(assignment, stems)
    for stem in stems:
        gathered.problems += missing_files(assignment, stem)
        gathered.problems += unfinished(assignment, stem)
        gathered.problems += written_problems(assignment, stem)
        gathered.problems += silent_mistakes(assignment, stem)


def _prepare(
    assignment: Assignment, stems: Sequence[str], options: VerifyOptions, gathered: _Gathered
) -> None:
    """Find everything that is to be graded."""
    stubs, unreadable_stubs = read_sources(assignment, "stub")
    references, unreadable_references = read_sources(assignment, "reference")
    gathered.problems += [*unreadable_stubs, *unreadable_references]
    for stem in stems:
        gathered.subjects += fixed_subjects(assignment, stem, stubs, references, options.wheat_seeds)
        cases, problems = find_labelled(assignment, stem)
        subjects, unloaded = case_subjects(
            assignment, cases, wheat_seeds=options.wheat_seeds, chaff_seeds=options.chaff_seeds
        )
        gathered.subjects += subjects
        gathered.problems += [*problems, *unloaded]


def _unprepared(err: GraderError) -> ProofProblem:
    """The suites, references or misconceptions do not import: nothing can be graded."""
    return ProofProblem(
        path="tests",
        message=f"Nothing could be graded: {err.message}",
        advice=err.hint or "Correct this first; what else is wrong shows afterwards.",
    )


def _grade(
    host: JudgeHost, subjects: Sequence[Subject], options: VerifyOptions, progress: Progress
) -> list[Graded]:
    """Grade everything; ends at once where the grader fails, since nothing could be said then."""
    attempts = [attempt for subject in subjects for attempt in subject.attempts]
    in_flight = min(os.cpu_count() or 1, MAX_IN_FLIGHT)
    results = _watched(host, attempts, options.device, in_flight, progress)
    graded = []
    for subject in subjects:
        runs = [next(results) for _ in range(subject.seeds)]
        for run in runs:
            if run.failure is not None:
                raise HarnessError(f"`{subject.path}` could not be graded: {run.failure.message}")
        graded.append(Graded(subject, runs))
    return graded


def _watched(
    host: JudgeHost, attempts: Sequence[Attempt], device: str, in_flight: int, progress: Progress
) -> Iterator[AttemptResult]:
    progress(0, len(attempts))
    results = run_attempts(host, attempts, device=device, in_flight=in_flight)
    for done, result in enumerate(results, 1):
        progress(done, len(attempts))
        yield result


def _conclude(assignment: Assignment, stem: str, gathered: _Gathered) -> ExerciseProof:
    """Hold the rules against what came back for one exercise; problems are added to `gathered`."""
    graded, spec = gathered.of(stem), assignment.exercise(stem)
    catalogue = next((one.results[0].catalogue for one in graded), ())
    gathered.problems += catalogue_problems(assignment, stem, catalogue)
    gathered.problems += broken_checks(graded, assignment, stem)
    for one in graded:
        gathered.problems += rule(one, assignment)
        if one.subject.kind == "reference":
            gathered.problems += device_problems(one, assignment)
    right = (one for one in graded if one.subject.kind in ("reference", "wheat"))
    margins = measure_margins(
        (result for one in right for result in one.results if result.is_full),
        (one.results for one in graded if _is_value_chaff(one)),
    )
    gathered.problems += margin_problems(margins, assignment, stem)
    gathered.notes += _device_notes(graded)
    cases = [describe_case(one) for one in graded]
    checks = tuple(_describe_check(entry, cases) for entry in catalogue)
    return ExerciseProof(
        stem=stem, title=spec.title, points=spec.points, checks=checks, cases=tuple(cases), margins=margins
    )


def _is_value_chaff(graded: Graded) -> bool:
    """Its label says that outputs give it away, or nothing but values does."""
    case = graded.subject.case
    if graded.subject.kind != "chaff" or case is None:
        return False
    caught = [check for result in graded.results for check in result.checks if check.has_caught]
    return "outputs" in case.detectable_by or all(check.reason == "values" for check in caught)


def _device_notes(graded: Iterable[Graded]) -> Iterator[str]:
    """Where a device check could not say anything of right code. Absent is never passed and never failed."""
    for one in graded:
        states = {
            f"{name} {state}"
            for check in one.results[0].checks
            for name, state in check.devices.items()
            if state == "not available" or (state == "inconclusive" and one.subject.kind == "wheat")
        }
        if states and one.subject.kind in ("reference", "wheat"):
            yield f"{one.subject.path}: {', '.join(sorted(states))}"


def _describe_check(entry: Mapping[str, Any], cases: Iterable[CaseProof]) -> CheckProof:
    chaffs = [case for case in cases if case.kind == "chaff"]
    name = entry["name"]
    return CheckProof(
        name=name,
        title=entry["title"],
        visibility=entry["visibility"],
        points=entry["points"],
        accelerator=entry["accelerator"],
        catches=tuple(case.name for case in chaffs if name in case.caught_by),
        only_catcher_of=tuple(case.name for case in chaffs if case.only_catcher == name),
    )
