"""Gradescope: `/autograder/results/results.json`, in points.

A report without a score gives a document without any: tests that only inform, and no total, so that nothing
sums to zero. One test that students cannot see would hide their total too; so a hidden check is visible
with its title and hints, unless the reader is staff.
"""

from __future__ import annotations

import json
from typing import Any

from grader.exports.fitting import MIB, cut, fit
from grader.exports.points import plain, scaled
from grader.exports.request import Rendered, Request
from grader.exports.shown import Shown, overview, shown_checks
from grader.exports.targets import ResultFormat, Setting
from grader.report.wording import OUTCOME_WORDS

LIMIT_BYTES = MIB


def render(request: Request) -> Rendered:
    return Rendered(fit(lambda room: _document(request, room), LIMIT_BYTES))


def _document(request: Request, room: int) -> str:
    report = request.report
    document: dict[str, Any] = {
        "output": cut(overview(report), 4 * room or 2000),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "execution_time": plain(report.duration_s),
        "tests": [_test(request, check, room) for check in shown_checks(report, request.audience) if room],
        "extra_data": {
            "grade": {
                "status": report.status,
                "grader": report.environment.grader,
                "suites": report.assignment.digest,
            }
        },
    }
    if report.score is not None:
        document = {"score": scaled(report.score, request.factor), **document}
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _test(request: Request, check: Shown, room: int) -> dict[str, Any]:
    test: dict[str, Any] = {}
    # An extension has no part in the total, which Gradescope shows over the sum of `max_score`.
    if request.report.score is not None and check.counts:
        test["score"] = scaled(check.score, request.factor)
        test["max_score"] = scaled(check.max_score, request.factor)
    test |= {
        "status": "passed" if check.passed else "failed",
        "name": check.name,
        "number": check.number,
        "output": cut(check.text, room) or f"{OUTCOME_WORDS[check.outcome]}.",
        "tags": [check.stem],
        "visibility": "hidden" if check.is_hidden and request.audience == "staff" else "visible",
    }
    return test


FORMAT = ResultFormat(
    "Gradescope autograder",
    render,
    settings=(Setting("maximum", "points of the assignment on Gradescope", default=""),),
    ends_well=True,
)
