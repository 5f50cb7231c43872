"""What is kept of a run so that a class can be searched: how each exercise fails, and remarks for staff.

Those fail alike whose checks ended alike, with the same diagnosis and the same error text, in which numbers
and names of files say nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from grader.report.schema import CheckResult, ExerciseResult, Report

MAX_TEXT = 2000  # characters of an error that are kept
MAX_LABEL = 300
_MAX_ID = 400
_UNSAID = ("needs_regrade", "practice")

_FILE = re.compile(r"`[^`\n]*\.(?:py|pyw|ipynb|txt|json|zip)[^`\n]*`|[\w./\\-]+\.(?:pyw?|ipynb)\b")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_SPACE = re.compile(r"\s+")
# Where a remark stands: "`a.py` cell 3, line 7 (also line 9): ...".
_PLACE = re.compile(r"`[^`]*`(?: cell \d+,)?(?: line \d+)?(?: \(also [^)]*\))?: ")


def failure_rows(run: str, report: Report) -> Iterator[dict[str, Any]]:
    """A row for each exercise that has not its full points by its own fault."""
    if report.status != "graded":
        return
    for exercise in report.exercises:
        failing = [check for check in exercise.checks if check.outcome != "passed"]
        if exercise.status == "needs_regrade" or not failing:
            continue
        first = failing[0]
        yield {
            "run": run,
            "exercise": exercise.stem,
            "cluster": _cluster(exercise, failing),
            "first_check": first.id,
            "misconception": next((m for check in failing if (m := _misconception(check))), ""),
            "text": _error_text(first)[:MAX_TEXT],
        }


def note_rows(run: str, report: Report) -> Iterator[dict[str, Any]]:
    """A row for each different remark for staff."""
    notes = (note.text for note in report.submission.notes if note.audience == "staff")
    for label in dict.fromkeys(note_label(text) for text in notes):
        yield {"run": run, "label": label}


def note_label(text: str) -> str:
    """A remark without the place that it is about."""
    return _PLACE.sub("", text, count=1)[:MAX_LABEL]


@lru_cache(maxsize=64)  # an exercise that was not begun says the same with each of its checks
def normalised(text: str) -> str:
    """An error text without what differs from one submission to the next although the error is the same."""
    return _SPACE.sub(" ", _NUMBER.sub("#", _FILE.sub("`file`", text))).strip().casefold()


def _cluster(exercise: ExerciseResult, failing: list[CheckResult]) -> str:
    signs = [[c.id, c.outcome, _misconception(c), normalised(_error_text(c))] for c in failing]
    signature = json.dumps([exercise.stem, exercise.status, signs])
    return hashlib.sha256(signature.encode()).hexdigest()[:32]


def _misconception(check: CheckResult) -> str:
    return check.diagnosis.misconception[:_MAX_ID] if check.diagnosis else ""


def _error_text(check: CheckResult) -> str:
    return check.message or check.staff_message or ""
