"""Codio: the form to POST to `CODIO_AUTOGRADE_V2_URL`, the grade in percent.

For a report without a score there is nothing to post; then the grade in Codio stays as it is.
"""

from __future__ import annotations

from urllib.parse import urlencode

from grader.exports.fitting import MIB, fit
from grader.exports.points import fraction_of, plain
from grader.exports.request import Rendered, Request
from grader.exports.shown import failures_text, headline
from grader.exports.targets import NotGradableError, ResultFormat

LIMIT_BYTES = MIB  # of feedback; as a form the text is only longer
DECIMALS = 2
_MOST = 99.99  # percent, of what is not full


def render(request: Request) -> Rendered:
    fraction = fraction_of(request.report)
    if fraction is None:
        raise NotGradableError(headline(request.report), hint="Codio is sent nothing.")
    percent = 100 if fraction == 1.0 else min(round(100 * fraction, DECIMALS), _MOST)

    def document(room: int) -> str:
        feedback = failures_text(request.report, request.audience, room)
        return urlencode({"grade": plain(percent), "format": "txt", "feedback": feedback})

    return Rendered(fit(document, LIMIT_BYTES))


FORMAT = ResultFormat("Codio, the form for CODIO_AUTOGRADE_V2_URL", render, file="-", is_log=True)
