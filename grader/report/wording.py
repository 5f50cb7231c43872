"""How statuses, outcomes, points and times are said to people; the same words everywhere."""

from __future__ import annotations

from collections.abc import Mapping

from grader.errors import Outcome
from grader.report.schema import DeviceState, ExerciseStatus, ReportStatus, rounded

STATUS_WORDS: Mapping[ExerciseStatus, str] = {
    "passed": "passed",
    "partial": "partly right",
    "failed": "failed",
    "not_attempted": "not attempted",
    "missing": "missing",
    "unreadable": "unreadable",
    "needs_regrade": "needs regrade",
}

REPORT_WORDS: Mapping[ReportStatus, str] = {
    "graded": "Graded",
    "rejected": "Rejected",
    "needs_regrade": "Needs regrade",
    "practice": "Practice",
}

OUTCOME_WORDS: Mapping[Outcome, str] = {
    "passed": "passed",
    "failed": "failed",
    "raised": "raised an error",
    "timed_out": "timed out",
    "out_of_memory": "ran out of memory",
    "crashed": "crashed",
    "bad_return": "returned something unusable",
    "missing": "missing",
    "not_attempted": "not attempted",
    "skipped": "skipped",
    "harness_error": "not graded",
}

# For checks whose own message is absent or must not be shown.
OUTCOME_SENTENCES: Mapping[Outcome, str] = {
    "passed": "The check passes.",
    "failed": "Your code runs, but its result is not what the exercise asks for.",
    "raised": "Your code raises an error.",
    "timed_out": "Your code does not finish within its time limit.",
    "out_of_memory": "Your code needs more memory than it is allowed to use.",
    "crashed": "Your code ends its process.",
    "bad_return": "Your code returns something that cannot be checked.",
    "missing": "The submission does not define what this exercise asks for.",
    "not_attempted": "The exercise is still as it was handed out.",
    "skipped": "The check is skipped because of an earlier failure.",
    "harness_error": "The grader could not finish this check; it costs no points.",
}

REGRADE_SENTENCE = (
    "The grader could not finish. The submission has to be graded again by the course staff; "
    "this costs no points."
)

DEVICE_WORDS: Mapping[DeviceState, str] = {
    "passed": "ok",
    "failed": "failed",
    "inconclusive": "inconclusive",
    "not available": "not available",
}


def points_text(points: float | None) -> str:
    """Points as a person writes them: `20`, `17.5`, `6.6667`; `?` when they are not known."""
    if points is None:
        return "?"
    return f"{rounded(points):.4f}".rstrip("0").rstrip(".")


def score_text(score: float | None, max_score: float) -> str:
    """A score with its maximum, e.g. `17.5 / 20`."""
    return f"{points_text(score)} / {points_text(max_score)}"


def seconds_text(seconds: float) -> str:
    """A duration in the unit that reads best, e.g. `12 ms`, `0.35 s`, `14.2 s`, `3 min 5 s`."""
    if seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
