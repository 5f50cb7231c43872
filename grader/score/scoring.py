"""One submission's points: cases make checks, checks make exercises, exercises make the report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from grader.catalog import Assignment, ExerciseSpec
from grader.errors import AssignmentError, HarnessError
from grader.records import ExerciseRun, ExerciseSource, Submission, SuiteRun
from grader.report.schema import CheckResult, ExerciseResult, ExerciseStatus, Report, ReportStatus, rounded
from grader.score.checks import check_of_cases, check_of_problem, split_points
from grader.score.readout import Cases, Catalogue, CatalogueEntry, read_cases, read_catalogue
from grader.score.surroundings import (
    assignment_info,
    environment_info,
    run_notes,
    source_info,
    submission_info,
)
from grader.score.unscored import Facts, chosen_exercises, needs_regrade_report

# pytest: 0 all passed, 1 some failed. Anything else means that the judge did not do its work.
_WORKED = frozenset({0, 1})
# With nothing to run, "no tests collected" (5) and not starting pytest at all are fine too.
_WORKED_ON_NOTHING = frozenset({0, 1, 5, None})
_POINTS_TOLERANCE = 1e-6

_PROBLEM_STATUS: dict[str, ExerciseStatus] = {
    "missing": "missing",
    "not_attempted": "not_attempted",
    "raised": "unreadable",
}


class _Readout(NamedTuple):
    """What the judge said, checked: the exercises to report, their checks and cases."""

    specs: Sequence[ExerciseSpec]
    catalogue: Catalogue
    cases: Cases

    def entries(self, stem: str) -> list[CatalogueEntry]:
        return [entry for entry in self.catalogue.values() if entry.stem == stem]


class _Verdict(NamedTuple):
    status: ReportStatus
    reason: str | None


def score_run(
    assignment: Assignment,
    submission: Submission,
    run: SuiteRun,
    *,
    seed: int,
    started_at: datetime,
    duration_s: float,
    exercises: Sequence[str] = (),
) -> Report:
    """Score one run. `exercises` are the stems that were chosen; empty means all of the assignment.

    A judge that did not do its work gives a report that needs a regrade, never a zero. Where the
    assignment has no hidden suites (a student's handout), the report is a practice score over the
    public checks.

    Raises:
        AssignmentError: the points of an exercise's checks do not sum to the exercise's.
    """
    facts: Facts = {
        "submission": submission,
        "exercises": exercises,
        "environment": run.environment,
        "started_at": started_at,
        "duration_s": duration_s,
        "seed": seed,
    }
    try:
        readout = _read_run(assignment, submission, run, chosen_exercises(assignment, exercises))
    except HarnessError as err:
        return needs_regrade_report(assignment, err.message, **facts)
    results = tuple(_score_exercise(spec, submission, run, readout) for spec in readout.specs)
    verdict = _judge_report(assignment, submission, results)
    core = [result for result in results if result.track == "core"]
    notes = run_notes(assignment, submission, run, [spec.stem for spec in readout.specs])
    return Report(
        status=verdict.status,
        status_reason=verdict.reason,
        score=None if verdict.status == "needs_regrade" else sum(result.score or 0.0 for result in core),
        max_score=sum(result.max_score for result in core),
        assignment=assignment_info(assignment),
        submission=submission_info(submission, notes),
        exercises=results,
        environment=environment_info(run.environment),
        seed=seed,
        started_at=started_at,
        duration_s=duration_s,
    )


def _read_run(
    assignment: Assignment, submission: Submission, run: SuiteRun, specs: Sequence[ExerciseSpec]
) -> _Readout:
    catalogue = read_catalogue(run.pytest_report)
    cases = read_cases(run.pytest_report, catalogue)
    readout = _Readout(specs, catalogue, cases)
    to_run = {spec.stem for spec in specs if submission.exercises[spec.stem].source is not None}
    exit_code = run.pytest_report.get("exitcode")
    if exit_code not in (_WORKED if to_run else _WORKED_ON_NOTHING):
        raise HarnessError(f"The judge's pytest ended with exit code {exit_code} instead of 0 or 1.")
    if to_run and not any(key.stem in to_run for key in cases):
        raise HarnessError("The judge ran no check.")
    if not assignment.has_staff_parts:
        return readout._replace(specs=[spec for spec in specs if readout.entries(spec.stem)])
    _require_all_points(readout)
    return readout


def _require_all_points(readout: _Readout) -> None:
    problems = []
    for spec in readout.specs:
        entries = readout.entries(spec.stem)
        if not entries:
            raise HarnessError(f"The judge collected no checks of `{spec.stem}`.")
        total = sum(entry.points for entry in entries)
        if abs(total - spec.points) > _POINTS_TOLERANCE:
            problems.append(
                f"the checks of `{spec.stem}` carry {rounded(total):g} points, but the exercise is worth "
                f"{spec.points:g}"
            )
    if problems:
        raise AssignmentError("Points do not add up: " + "; ".join(problems) + ".", problems=problems)


def _score_exercise(
    spec: ExerciseSpec, submission: Submission, run: SuiteRun, readout: _Readout
) -> ExerciseResult:
    source = submission.exercises[spec.stem]
    exercise_run = run.exercises.get(spec.stem, ExerciseRun(spec.stem))
    entries = readout.entries(spec.stem)
    points = split_points([entry.points for entry in entries])
    checks = tuple(
        check_of_problem(entry, worth, source.problem)
        if source.problem is not None
        else check_of_cases(entry, worth, readout.cases.get(entry.key, ()))
        for entry, worth in zip(entries, points, strict=True)
    )
    status = _exercise_status(source, checks)
    return ExerciseResult(
        stem=spec.stem,
        title=spec.title,
        track=spec.track,
        status=status,
        score=None if status == "needs_regrade" else sum(check.score or 0.0 for check in checks),
        max_score=sum(points),
        follow_through=exercise_run.follow_through,
        source=source_info(source.source),
        checks=checks,
        stdout=exercise_run.stdout or None,
        pictures=exercise_run.pictures,
        no_picture=exercise_run.no_picture or None,
    )


def _exercise_status(source: ExerciseSource, checks: Sequence[CheckResult]) -> ExerciseStatus:
    if source.problem is not None:
        return _PROBLEM_STATUS[source.problem.outcome]
    outcomes = {check.outcome for check in checks}
    if "harness_error" in outcomes:
        return "needs_regrade"
    if all(check.score == check.max_score for check in checks):
        return "passed"
    if any(check.score for check in checks):
        return "partial"
    # A worker may find out what reading the source could not: nothing there, or still the stub.
    for outcome in ("missing", "not_attempted"):
        if outcome in outcomes and outcomes <= {outcome, "skipped"}:
            return _PROBLEM_STATUS[outcome]
    return "failed"


def _judge_report(
    assignment: Assignment, submission: Submission, results: Sequence[ExerciseResult]
) -> _Verdict:
    unfinished = [f"`{result.stem}`" for result in results if result.status == "needs_regrade"]
    if unfinished:
        return _Verdict("needs_regrade", f"The grader could not finish {', '.join(unfinished)}.")
    problems = {stem: source.problem for stem, source in submission.exercises.items()}
    # An extension that nobody began says nothing of the others.
    extensions = {spec.stem for spec in assignment.exercises if spec.track == "extension"}
    outcomes = {
        problem.outcome if problem else "found"
        for stem, problem in problems.items()
        if stem not in extensions or problem is None or problem.outcome != "not_attempted"
    }
    if outcomes == {"missing"}:
        specs = [spec for spec in assignment.exercises if spec.track == "core"] or assignment.exercises
        wanted = ", ".join(f"`{symbol}`" for spec in specs for symbol in spec.symbols)
        return _Verdict("rejected", f"The submission holds none of what is asked for: {wanted}.")
    if outcomes and outcomes <= {"missing", "raised"}:
        return _Verdict("rejected", "None of the submission's exercises can be read.")
    return _Verdict("graded" if assignment.has_staff_parts else "practice", None)
