"""What a reader sees of each check: the one place that decides what of a hidden check is shown.

Students see title, outcome, points and hints of a hidden check, and nothing that depends on its inputs:
no message, no line of code. The place of the student's own line is kept apart, for targets that mark it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.errors import Outcome
from grader.records import Audience
from grader.report.places import Place, places_of
from grader.report.schema import CheckResult, ExerciseResult, ExerciseStatus, Report
from grader.report.wording import OUTCOME_SENTENCES, OUTCOME_WORDS, STATUS_WORDS, points_text, score_text

# For an exercise without a single check: nothing was run.
_STATUS_OUTCOMES: dict[ExerciseStatus, Outcome] = {
    "passed": "passed",
    "partial": "failed",
    "failed": "failed",
    "not_attempted": "not_attempted",
    "missing": "missing",
    "unreadable": "raised",
    "needs_regrade": "harness_error",
}


@dataclass(frozen=True)
class Shown:
    """One check (or an exercise without any) as its reader may see it.

    `score` is None if the grader failed. `text` says why it is not passed, in lines; empty if it is.
    `number` is that of the exercise and the check, e.g. `2.1`. `counts` is False for extensions.
    """

    id: str
    stem: str
    exercise: str
    title: str
    number: str
    outcome: Outcome
    score: float | None
    max_score: float
    is_hidden: bool
    counts: bool
    text: str
    places: tuple[Place, ...]
    path: str
    duration_s: float

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def name(self) -> str:
        extension = "" if self.counts else " (extension)"
        return f"{self.exercise}{extension}: {self.title}"

    @property
    def points(self) -> str:
        return score_text(self.score, self.max_score)


def shown_checks(report: Report, audience: Audience) -> Iterator[Shown]:
    """Every check in its order; an exercise that nothing was run of counts as one."""
    for place, exercise in enumerate(report.exercises, 1):
        if not exercise.checks:
            yield _whole_exercise(exercise, str(place), report.status_reason or "")
        for number, check in enumerate(exercise.checks, 1):
            yield _shown(exercise, check, f"{place}.{number}", audience)


def _shown(exercise: ExerciseResult, check: CheckResult, number: str, audience: Audience) -> Shown:
    return Shown(
        id=check.id,
        stem=exercise.stem,
        exercise=exercise.title,
        title=check.title,
        number=number,
        outcome=check.outcome,
        score=check.score,
        max_score=check.max_score,
        is_hidden=check.visibility == "hidden",
        counts=exercise.track == "core",
        text="" if check.outcome == "passed" else "\n".join(_reasons(check, audience)),
        places=tuple(places_of(check)),
        path=exercise.source.path if exercise.source else "",
        duration_s=check.duration_s,
    )


def _whole_exercise(exercise: ExerciseResult, number: str, reason: str) -> Shown:
    outcome = _STATUS_OUTCOMES[exercise.status]
    return Shown(
        id=exercise.stem,
        stem=exercise.stem,
        exercise=exercise.title,
        title=STATUS_WORDS[exercise.status],
        number=number,
        outcome=outcome,
        score=exercise.score,
        max_score=exercise.max_score,
        is_hidden=False,
        counts=exercise.track == "core",
        text=reason or OUTCOME_SENTENCES[outcome],
        places=(),
        path=exercise.source.path if exercise.source else "",
        duration_s=0.0,
    )


def _reasons(check: CheckResult, audience: Audience) -> Iterator[str]:
    shows_all = audience == "staff" or check.visibility == "public"
    yield (check.message if shows_all else None) or OUTCOME_SENTENCES[check.outcome]
    if shows_all:
        for frame in check.frames:
            yield f"{frame.where}: {frame.code}" if frame.code else frame.where
    if check.diagnosis is not None:
        what = check.diagnosis.misconception.replace("_", " ")
        yield f"Looks like: {what}. {check.diagnosis.hint}".rstrip()
    if check.hint:
        yield f"Hint: {check.hint}"
    if audience == "staff" and check.staff_message and check.staff_message != check.message:
        yield f"Staff: {check.staff_message}"


def headline(report: Report) -> str:
    """The result in one sentence, without numbers if there are none."""
    if report.score is None:
        return "Not graded: needs a regrade by the course staff. This costs no points."
    total = score_text(report.score, report.max_score)
    if report.status == "practice":
        return f"Practice score (public checks only): {total}"
    return f"Rejected: {total}" if report.status == "rejected" else f"Score: {total}"


def overview(report: Report) -> str:
    """Headline, reason, and a line per exercise: plain text that names no check."""
    lines = [headline(report)]
    if report.status_reason:
        lines.append(report.status_reason)
    for exercise in report.exercises:
        extension = "" if exercise.track == "core" else " (extension)"
        points = score_text(exercise.score, exercise.max_score)
        lines.append(f"{exercise.title}{extension}: {points}, {STATUS_WORDS[exercise.status]}")
        if exercise.follow_through:
            lines.append("  graded with a reference in place of an earlier exercise")
    for note in report.submission.notes:
        where = f"`{note.path}`: " if note.path and note.path not in note.text else ""
        lines.append(f"Note: {where}{note.text}")
    return "\n".join(lines)


def student_text(report: Report) -> str:
    """The whole report as plain text for its student; the report is already cut down to them."""
    lines = [report.assignment.title, "", overview(report), ""]
    for check in shown_checks(report, "student"):
        lines.append(f"[{check.number}] {check.name} ({check.points}, {OUTCOME_WORDS[check.outcome]})")
        lines += [f"    {line}" for line in check.text.splitlines()]
    return "\n".join(lines).rstrip() + "\n"


def failures_text(report: Report, audience: Audience, room: int) -> str:
    """The overview and what is not passed, within about `room` characters a check; 0: the overview only."""
    lines = [overview(report)]
    for check in shown_checks(report, audience) if room else ():
        if not check.passed:
            lines.append(f"- {check.name} ({points_text(check.score)} / {points_text(check.max_score)})")
            lines += [f"    {line}" for line in check.text[:room].splitlines()]
    return "\n".join(lines)
