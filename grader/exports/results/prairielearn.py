"""PrairieLearn external grader: `/grade/results/results.json`, the score a fraction.

`gradable: false` uses up no attempt and gives no score: for what we could not grade, and for a submission
that the student must mend first.
"""

from __future__ import annotations

import json
from typing import Any

from grader.exports.escaping import without_tags
from grader.exports.fitting import MIB, cut, fit
from grader.exports.points import fraction_of, plain
from grader.exports.request import Rendered, Request
from grader.exports.shown import Shown, headline, overview, shown_checks
from grader.exports.targets import ResultFormat
from grader.report.wording import OUTCOME_WORDS

LIMIT_BYTES = MIB - 4096  # PrairieLearn drops a file of more than 1 MiB


def render(request: Request) -> Rendered:
    report = request.report
    fraction = fraction_of(report)
    if fraction is None or report.status == "rejected":
        return Rendered(_dump(_ungradable(request)))

    def document(room: int) -> str:
        checks = list(shown_checks(report, request.audience)) if room else []
        return _dump(
            {
                "gradable": True,
                "score": fraction,
                "message": headline(report),
                "output": cut(overview(report), 4 * room or 2000),
                "tests": [_test(check, room) for check in checks],
            }
        )

    return Rendered(fit(document, LIMIT_BYTES))


def _ungradable(request: Request) -> dict[str, Any]:
    report = request.report
    if report.score is None:
        reason = headline(report)
        if request.audience == "staff" and report.status_reason:
            reason += f" {report.status_reason}"
    else:
        reason = report.status_reason or "There is nothing to grade."
    return {"gradable": False, "format_errors": [without_tags(reason)], "message": without_tags(reason)}


def _test(check: Shown, room: int) -> dict[str, Any]:
    return {
        "name": check.name,
        "description": f"{OUTCOME_WORDS[check.outcome]} (hidden check)"
        if check.is_hidden
        else OUTCOME_WORDS[check.outcome],
        # With a maximum of 0 a test is shown and weighs nothing.
        "points": plain(check.score or 0.0) if check.counts else 0,
        "max_points": plain(check.max_score) if check.counts else 0,
        "message": cut(check.text, room),
    }


def _dump(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


FORMAT = ResultFormat("PrairieLearn external grader", render, ends_well=True)
