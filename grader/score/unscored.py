"""Reports of submissions that could not be graded: their fault (`rejected`) or ours (`needs_regrade`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from grader.catalog import Assignment, ExerciseSpec
from grader.records import Submission
from grader.report.schema import ExerciseResult, Report, SubmissionInfo
from grader.score.surroundings import assignment_info, environment_info, submission_info

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on


class Facts(TypedDict, total=False):
    """What is known of a run that gave no score; every entry may be left out.

    `exercises` are the chosen stems (all when empty), `submission_id` names a submission that could not
    be loaded, `environment` is what the judge said of itself, `started_at` is aware of its time zone.
    """

    submission: Submission | None
    submission_id: str
    exercises: Sequence[str]
    environment: Mapping[str, Any] | None
    started_at: datetime | None
    duration_s: float
    seed: int | None


def rejected_report(assignment: Assignment, reason: str, **facts: Unpack[Facts]) -> Report:
    """The report of a submission that nobody can grade and that the student can fix; the score is 0."""
    return _report_without_checks(assignment, reason, "rejected", **facts)


def needs_regrade_report(assignment: Assignment, reason: str, **facts: Unpack[Facts]) -> Report:
    """The report of a submission that we failed to grade: no score at all, which is not a zero."""
    return _report_without_checks(assignment, reason, "needs_regrade", **facts)


def _report_without_checks(
    assignment: Assignment,
    reason: str,
    status: Literal["rejected", "needs_regrade"],
    **facts: Unpack[Facts],
) -> Report:
    score = 0.0 if status == "rejected" else None
    exercises = tuple(
        ExerciseResult(
            stem=spec.stem,
            title=spec.title,
            track=spec.track,
            status="missing" if status == "rejected" else "needs_regrade",
            score=score,
            max_score=spec.points,
        )
        for spec in chosen_exercises(assignment, facts.get("exercises", ()))
    )
    return Report(
        status=status,
        status_reason=reason,
        score=score,
        max_score=sum(exercise.max_score for exercise in exercises if exercise.track == "core"),
        assignment=assignment_info(assignment),
        submission=_known_submission(facts.get("submission"), facts.get("submission_id", "")),
        exercises=exercises,
        environment=environment_info(facts.get("environment")),
        seed=facts.get("seed"),
        started_at=facts.get("started_at") or datetime.now(timezone.utc),
        duration_s=facts.get("duration_s", 0.0),
    )


def chosen_exercises(assignment: Assignment, stems: Sequence[str]) -> tuple[ExerciseSpec, ...]:
    """The exercises with these stems in the assignment's order; all of them when `stems` is empty."""
    return tuple(spec for spec in assignment.exercises if not stems or spec.stem in stems)


def _known_submission(submission: Submission | None, submission_id: str) -> SubmissionInfo:
    if submission is None:
        return SubmissionInfo(id=submission_id)
    return submission_info(submission, submission_id=submission_id or None)
