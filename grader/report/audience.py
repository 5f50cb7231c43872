"""Who may see what: a report cut down to its reader."""

from __future__ import annotations

from grader.records import Audience
from grader.report.schema import CheckResult, ExerciseResult, Report
from grader.report.wording import OUTCOME_SENTENCES, REGRADE_SENTENCE


def for_audience(report: Report, audience: Audience) -> Report:
    """`report` with only what `audience` may see; staff see all of it.

    A student sees no staff message, no note for staff, no seed (it would tell the hidden inputs) and no
    inner detail of our own failures. Of an exercise graded by follow-through, a student sees outcomes
    and points but no message, hint, line, diagnosis or output: that worker held an answer, so whatever
    it said could contain it.
    """
    if audience == "staff":
        return report
    notes = tuple(note for note in report.submission.notes if note.audience == "student")
    return report.model_copy(
        update={
            "status_reason": REGRADE_SENTENCE if report.status == "needs_regrade" else report.status_reason,
            "submission": report.submission.model_copy(update={"notes": notes}),
            "exercises": tuple(_exercise_for_student(exercise) for exercise in report.exercises),
            "seed": None,
        }
    )


def _exercise_for_student(exercise: ExerciseResult) -> ExerciseResult:
    hidden_output = exercise.follow_through
    return exercise.model_copy(
        update={
            "checks": tuple(_check_for_student(check, hidden_output) for check in exercise.checks),
            "stdout": None if hidden_output else exercise.stdout,
        }
    )


def _check_for_student(check: CheckResult, hidden_output: bool) -> CheckResult:
    update: dict[str, object] = {"staff_message": None}
    if check.outcome == "harness_error" or (hidden_output and check.outcome != "passed"):
        message = OUTCOME_SENTENCES[check.outcome]
        update |= {"message": message, "hint": None, "frames": (), "diagnosis": None}
    return check.model_copy(update=update)
