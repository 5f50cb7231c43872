"""Autolab: standard output whose last line is `{"scores": {...}}`, in points per problem.

All of it is what the student reads. Before Autolab parses a line it puts quotes around every word that has a
colon after it, also inside strings; so no letter or digit stands directly before a colon in ours. A score of
null is kept as "no score"; an error would become a zero that is released at once.
"""

from __future__ import annotations

import json
import re
from typing import Any

from grader.exports.fitting import MIB, cut, fit
from grader.exports.points import scaled
from grader.exports.request import Rendered, Request
from grader.exports.shown import failures_text, shown_checks
from grader.exports.targets import NotGradableError, ResultFormat, Setting, SettingError
from grader.printable import printable

LIMIT_BYTES = MIB
MAX_LINES = 9000  # Autolab drops output of 10,000 lines or more when something is wrong with it
_WORD_COLON = re.compile(r"([A-Za-z0-9]):")
_HINT_CHARACTERS = 300


def render(request: Request) -> Rendered:
    scores = _scores(request)
    if not scores:
        raise NotGradableError("There is no exercise, and Autolab takes no result without a score.")
    last = json.dumps({"scores": scores}, allow_nan=False)

    def document(room: int) -> str:
        # Indented, no line of a student can be taken for one of ours.
        lines = [f"  {line}" for line in failures_text(request.report, request.audience, room).splitlines()]
        parts = ["Result", *lines[:MAX_LINES]]
        if room:
            parts.append(_one_line(_semantic(request, room)))
        return "\n".join([*parts, last]) + "\n"

    return Rendered(fit(document, LIMIT_BYTES))


def _scores(request: Request) -> dict[str, int | float | None]:
    report, problem = request.report, request.settings["problem"]
    if problem:
        if _WORD_COLON.search(problem):
            shown = printable(problem, 80, one_line=True)
            raise SettingError(f"Autolab cannot read the problem name `{shown}`: it has a word and a colon.")
        return {problem: scaled(report.score, request.factor)}
    # Without a total nobody knows what counts: then no problem gets a score.
    known = report.score is not None
    return {
        exercise.stem: scaled(exercise.score if known else None, request.factor)
        for exercise in report.exercises
    }


def _semantic(request: Request, room: int) -> dict[str, Any]:
    """The feedback that Autolab lays out itself: a stage per exercise."""
    stages: dict[str, dict[str, Any]] = {}
    for check in shown_checks(request.report, request.audience):
        result: dict[str, Any] = {"passed": check.passed}
        if check.text:
            result["hint"] = cut(" ".join(check.text.split()), min(room, _HINT_CHARACTERS))
        stages.setdefault(f"{check.stem} - {check.exercise}", {})[f"{check.number} {check.title}"] = result
    return {"_presentation": "semantic", "stages": list(stages), **stages}


def _one_line(document: dict[str, Any]) -> str:
    return _WORD_COLON.sub(r"\1 :", json.dumps(document, allow_nan=False))


FORMAT = ResultFormat(
    "Autolab, what the Makefile prints",
    render,
    file="-",
    settings=(
        Setting("problem", "the one problem that gets the total; without it, one per exercise", default=""),
        Setting("maximum", "points of all problems together", default=""),
    ),
    is_log=True,
    ends_well=True,
)
