"""Everything about one submission, put together: what the grader said and what people said over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection, select

from grader.classroom.gradebook import Comment, Grade, Override, tables
from grader.classroom.gradebook.actions import last_number, list_actions
from grader.classroom.gradebook.comments import read_comments, read_marks
from grader.classroom.gradebook.counting import read_grades
from grader.classroom.gradebook.grades import read_runs
from grader.classroom.gradebook.overrides import Target, counting_overrides, read_overrides
from grader.report.schema import CheckResult, ExerciseResult, Report
from grader.report.writing import read_report
from grader.review.desk_listing import is_later
from grader.review.desk_records import (
    CheckView,
    ExerciseView,
    NoSuchSubmission,
    OverrideView,
    SubmissionView,
)

HISTORY_SHOWN = 200


def read_submission(connection: Connection, batch: str, submission: str) -> SubmissionView:
    """The submission as it stands.

    Raises:
        NoSuchSubmission: the batch has none of that id.
    """
    grades = read_grades(connection, batch, [submission]) if submission.isprintable() else []
    if not grades:
        raise NoSuchSubmission(
            "There is no such submission in this class.", hint="Look for it in the list by its name."
        )
    (grade,) = grades
    report = read_run(connection, grade.run)
    overrides = counting_overrides(read_overrides(connection, batch, [submission])).get(submission, {})
    mark = read_marks(connection, batch, [submission]).get(submission)
    is_done = mark is not None and mark.is_done
    done_at = mark.made_at if mark is not None and is_done else None
    return SubmissionView(
        id=submission,
        person=grade.person,
        grade=grade,
        report=report,
        exercises=_exercises(connection, grade, report, overrides),
        runs=tuple(reversed(read_runs(connection, batch, submission))),
        comments=_comments(connection, batch, grade),
        history=list_actions(connection, batch, submission=submission, limit=HISTORY_SHOWN),
        version=last_number(connection, batch),
        is_done=is_done,
        done_by=mark.who if mark is not None and is_done else "",
        done_at=done_at,
        changed_since_done=is_later(grade.started_at, done_at),
    )


def read_run(connection: Connection, run: str) -> Report | None:
    """The report of a run; None if there is no such run, or its report is of a form that we do not know."""
    if not run.isalnum():
        return None
    text = connection.execute(select(tables.runs.c.report).where(tables.runs.c.id == run)).scalar()
    try:
        return None if text is None else read_report(text)
    except ValueError:
        return None


def _comments(connection: Connection, batch: str, grade: Grade) -> tuple[Comment, ...]:
    return tuple(
        replace(one, is_current_run=one.run == grade.run)
        for one in read_comments(connection, batch, [grade.submission])
    )


def _exercises(
    connection: Connection, grade: Grade, report: Report | None, overrides: Mapping[Target, Override]
) -> tuple[ExerciseView, ...]:
    if report is None:
        return ()
    failures = tables.run_failures
    query = select(failures.c.exercise, failures.c.cluster).where(failures.c.run == grade.run)
    clusters = {row.exercise: row.cluster for row in connection.execute(query)}
    return tuple(
        _exercise(exercise, grade, overrides, clusters.get(exercise.stem, ""))
        for exercise in report.exercises
    )


def _exercise(
    exercise: ExerciseResult, grade: Grade, overrides: Mapping[Target, Override], cluster: str
) -> ExerciseView:
    return ExerciseView(
        stem=exercise.stem,
        title=exercise.title,
        track=exercise.track,
        status=exercise.status,
        score=grade.exercises.get(exercise.stem),
        given=exercise.score,
        max_score=exercise.max_score,
        override=_override(overrides.get((exercise.stem, None))),
        checks=tuple(_check(check, overrides.get((exercise.stem, check.id))) for check in exercise.checks),
        cluster=cluster,
    )


def _check(check: CheckResult, override: Override | None) -> CheckView:
    view = _override(override)
    return CheckView(check, check.score if view is None else view.points, view)


def _override(override: Override | None) -> OverrideView | None:
    if override is None or override.points is None or override.made_at is None:
        return None
    return OverrideView(override.points, override.who, override.why, override.made_at, override.action)
