"""One line per submission, small enough for a class of any size."""

from __future__ import annotations

import gc
import tracemalloc
from datetime import datetime, timezone

from grader.classroom.rows import Row
from grader.classroom.tally import Tally
from grader.report.schema import (
    AssignmentInfo,
    CheckResult,
    EnvironmentInfo,
    ExerciseResult,
    IsolationInfo,
    Report,
    SubmissionInfo,
)

STEMS, CHECKS = 13, 15
MOST_FOR_A_ROW = 2000  # bytes; a list of its own of what it lost takes five times as much


def _report(number: int, wrong: int) -> Report:
    """The first exercise is wrong in its own way, the others are not begun."""
    return Report(
        status="graded",
        score=0.0,
        max_score=float(STEMS * CHECKS),
        assignment=AssignmentInfo(id="tiny", title="Tiny", digest="d"),
        submission=SubmissionInfo(id=f"s{number}"),
        exercises=tuple(_exercise(place, wrong) for place in range(STEMS)),
        environment=EnvironmentInfo(
            grader="1", python="3", torch="2", platform="p", isolation=IsolationInfo(level="strict")
        ),
        started_at=datetime(2026, 11, 20, tzinfo=timezone.utc),
        duration_s=1.0,
    )


def _exercise(place: int, wrong: int) -> ExerciseResult:
    stem = f"exercise_{place:03}_of_many"
    outcomes = ["raised" if place == 0 and n == wrong else "not_attempted" for n in range(CHECKS)]
    checks = [
        CheckResult.model_validate(
            {
                "id": f"{stem}::test_number_{number:03}",
                "title": "A check.",
                "visibility": "hidden",
                "outcome": outcome,
                "score": 0.0,
                "max_score": 1.0,
            }
        )
        for number, outcome in enumerate(outcomes)
    ]
    return ExerciseResult(
        stem=stem, title=stem, status="failed", score=0.0, max_score=CHECKS, checks=tuple(checks)
    )


def test_lost_checks_stand_in_the_order_of_the_report_and_no_passed_one_among_them() -> None:
    tally, report = Tally(), _report(1, 4)
    first = report.exercises[0].checks[0].model_copy(update={"outcome": "passed"})
    exercise = report.exercises[0].model_copy(update={"checks": (first, *report.exercises[0].checks[1:])})
    tally.add(report.model_copy(update={"exercises": (exercise, *report.exercises[1:])}))
    row = tally.rows["s1"]
    wanted = [
        (check.id, check.outcome) for one in report.exercises for check in one.checks if check.id != first.id
    ]
    assert list(row.lost.items()) == wanted
    assert row.lost.get(first.id, "passed") == "passed"
    assert list(row.exercises) == [one.stem for one in report.exercises]


def test_rows_of_a_class_share_what_is_equal() -> None:
    tally = Tally()
    tracemalloc.start()
    try:
        for number in range(CHECKS):
            tally.add(_report(number, number))
        before = _in_use()
        for number in range(CHECKS, 10 * CHECKS):
            tally.add(_report(number, number % CHECKS))
        after = _in_use()
    finally:
        tracemalloc.stop()
    assert (after - before) / (9 * CHECKS) < MOST_FOR_A_ROW
    rows: list[Row] = list(tally.rows.values())
    assert len({tuple(row.lost.items()) for row in rows}) == CHECKS


def _in_use() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
