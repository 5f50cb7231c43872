"""What a reader sees of each check: the one place that decides what of a hidden check is shown.

Students see title, outcome, points and hints of a hidden check, and nothing that depends on its inputs:
no message, no line of code. The place of the student's own line is kept apart, for targets that mark it.

An extension that the student did not begin is no failure, as on the screen, the page and the class's table:
its checks are left out, or skipped where a target has a word for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from grader.errors import Outcome
from grader.exports.fitting import cut
from grader.records import Audience
from grader.report.places import Place, places_of
from grader.report.schema import UNTOUCHED, CheckResult, ExerciseResult, ExerciseStatus, Report
from grader.report.staff import staff_text
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

# Of a file that is not there, nobody can say that it is as it was handed out.
_SENTENCES: Mapping[Outcome, str] = {
    **OUTCOME_SENTENCES,
    "not_attempted": "Nothing of this exercise is written yet.",
}

_REASON_CHARACTERS = 1000

Verdict = Literal["passed", "failed", "skipped", "error"]


@dataclass(frozen=True)
class Shown:
    """One check (or an exercise without any) as its reader may see it.

    `score` is None if the grader failed. `text` says why it is not passed, in lines; empty if it is.
    `number` is that of the exercise and the check, e.g. `2.1`. `counts` is False for extensions.
    `is_left_out` is True for those of them that were not begun.
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
    is_left_out: bool
    text: str
    places: tuple[Place, ...]
    path: str
    duration_s: float

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def verdict(self) -> Verdict:
        """In the words that test reports have; `error` is our own failure."""
        if self.passed:
            return "passed"
        if self.outcome == "harness_error":
            return "error"
        return "skipped" if self.is_left_out or self.outcome == "skipped" else "failed"

    @property
    def name(self) -> str:
        extension = "" if self.counts else " (extension)"
        return f"{self.exercise}{extension}: {self.title}"

    @property
    def points(self) -> str:
        return score_text(self.score, self.max_score)


def shown_checks(report: Report, audience: Audience, *, has_skipped: bool = False) -> Iterator[Shown]:
    """Every check in its order; an exercise that nothing was run of counts as one.

    With `has_skipped` the target has a word for what was skipped, and gets what is left out for others.
    """
    for place, exercise in enumerate(report.exercises, 1):
        is_left_out = _is_left_out(report, exercise)
        if is_left_out and not has_skipped:
            continue
        if not exercise.checks:
            yield _whole_exercise(exercise, str(place), report.status_reason or "", is_left_out)
        for number, check in enumerate(exercise.checks, 1):
            yield _shown(exercise, check, f"{place}.{number}", audience, is_left_out)


def _is_left_out(report: Report, exercise: ExerciseResult) -> bool:
    """Is it an extension of which nothing was handed in? Something must say that a submission is rejected."""
    if exercise.track == "core" or exercise.status not in UNTOUCHED:
        return False
    return report.status != "rejected" or any(one.track == "core" for one in report.exercises)


def _shown(
    exercise: ExerciseResult, check: CheckResult, number: str, audience: Audience, is_left_out: bool
) -> Shown:
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
        is_left_out=is_left_out,
        text="" if check.outcome == "passed" else "\n".join(_reasons(exercise, check, audience)),
        places=tuple(places_of(check)),
        path=exercise.source.path if exercise.source else "",
        duration_s=check.duration_s,
    )


def _whole_exercise(exercise: ExerciseResult, number: str, reason: str, is_left_out: bool) -> Shown:
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
        is_left_out=is_left_out,
        text=reason or _SENTENCES[outcome],
        places=(),
        path=exercise.source.path if exercise.source else "",
        duration_s=0.0,
    )


def _reasons(exercise: ExerciseResult, check: CheckResult, audience: Audience) -> Iterator[str]:
    shows_all = audience == "staff" or check.visibility == "public"
    yield (check.message if shows_all else _public_reason(exercise)) or _SENTENCES[check.outcome]
    if shows_all:
        for frame in check.frames:
            yield f"{frame.where}: {frame.code}" if frame.code else frame.where
    if check.diagnosis is not None:
        what = check.diagnosis.misconception.replace("_", " ")
        yield f"Looks like: {what}. {check.diagnosis.hint}".rstrip()
    if check.hint:
        yield f"Hint: {check.hint}"
    if audience == "staff" and (told := staff_text(check)):
        yield f"Staff: {told}"


def _public_reason(exercise: ExerciseResult) -> str:
    """Why nothing of an exercise could be run, as its public checks say; it holds for the hidden ones too."""
    if exercise.status not in UNTOUCHED:
        return ""
    return next((one.message for one in exercise.checks if one.visibility == "public" and one.message), "")


def misplaced_extensions(report: Report) -> dict[str, str]:
    """By stem, why an extension that looks begun is not found: its checks are left out and cannot say so."""
    found = {}
    for exercise in report.exercises:
        public = next((check for check in exercise.checks if check.visibility == "public"), None)
        if public and exercise.status == "missing" and _is_left_out(report, exercise):
            reason = " ".join(_reasons(exercise, public, "student"))
            found[exercise.stem] = cut(" ".join(reason.split()), _REASON_CHARACTERS)
    return found


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
    misplaced = misplaced_extensions(report)
    for exercise in report.exercises:
        extension = "" if exercise.track == "core" else " (extension)"
        points = score_text(exercise.score, exercise.max_score)
        lines.append(f"{exercise.title}{extension}: {points}, {STATUS_WORDS[exercise.status]}")
        if exercise.stem in misplaced:
            lines.append(f"  {misplaced[exercise.stem]}")
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
