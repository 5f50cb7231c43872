"""Coursera: `/shared/feedback.json`, the score a fraction.

Both fields are required and a fraction cannot say "not graded"; so for a report without a score no file is
written, and a grader that ends without one is shown as failed, without a grade.
"""

from __future__ import annotations

import json

from grader.exports.escaping import without_tags
from grader.exports.fitting import cut
from grader.exports.points import fraction_of
from grader.exports.request import Rendered, Request
from grader.exports.shown import failures_text, headline
from grader.exports.targets import NotGradableError, ResultFormat

CHARACTERS = 30_000
CHECK_CHARACTERS = 2000


def render(request: Request) -> Rendered:
    fraction = fraction_of(request.report)
    if fraction is None:
        raise NotGradableError(headline(request.report), hint="Coursera gets no feedback.json.")
    text = failures_text(request.report, request.audience, CHECK_CHARACTERS)
    fields = {"fractionalScore": fraction, "feedback": cut(without_tags(text), CHARACTERS)}
    return Rendered(json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


FORMAT = ResultFormat("Coursera, /shared/feedback.json", render, file="feedback.json")
