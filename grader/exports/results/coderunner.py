"""Moodle CodeRunner, combinator template grader: the whole of standard output is one JSON object.

CodeRunner must be given a fraction, and what it does without one is full marks; so for a report without a
score nothing is printed, which it shows as a broken run.
"""

from __future__ import annotations

import json
from typing import Any

from grader.exports.escaping import for_html, for_html_block
from grader.exports.fitting import MIB, cut, fit
from grader.exports.points import fraction_of
from grader.exports.request import Rendered, Request
from grader.exports.shown import headline, overview, shown_checks
from grader.exports.targets import NotGradableError, ResultFormat

LIMIT_BYTES = MIB // 2  # sandboxes limit the output of a run


def render(request: Request) -> Rendered:
    report = request.report
    fraction = fraction_of(report)
    if fraction is None:
        raise NotGradableError(headline(report), hint="CodeRunner gets no result: regrade the attempt later.")

    def document(room: int) -> str:
        fields: dict[str, Any] = {
            "fraction": fraction,
            "prologuehtml": f"<p>{for_html(headline(report))}</p>",
            "testresults": _table(request, room),
            "columnformats": ["%s", "%s", "%s"],
            "epiloguehtml": for_html_block(cut(overview(report), 2 * room or 2000)),
        }
        return json.dumps(fields, allow_nan=False) + "\n"

    return Rendered(fit(document, LIMIT_BYTES))


def _table(request: Request, room: int) -> list[list[Any]]:
    """The header, then a row per check; `iscorrect` is drawn as a tick, `ishidden` hides a row."""
    rows: list[list[Any]] = [["Check", "Points", "Feedback", "iscorrect", "ishidden"]]
    for check in shown_checks(request.report, request.audience) if room else ():
        is_hidden = check.is_hidden and request.audience == "staff"
        rows.append([check.name, check.points, cut(check.text, room), check.passed, is_hidden])
    return rows


FORMAT = ResultFormat("Moodle CodeRunner, combinator template grader", render, file="-", is_log=True)
