"""Our own `results.json`; `grade schema` prints its JSON Schema."""

from __future__ import annotations

from grader.exports.request import Rendered, Request
from grader.exports.targets import ResultFormat
from grader.report.writing import dump_report


def render(request: Request) -> Rendered:
    return Rendered(dump_report(request.report, request.audience))


FORMAT = ResultFormat("results.json of this grader", render, audience="staff")
