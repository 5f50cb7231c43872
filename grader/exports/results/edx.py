"""Open edX external grader: the `xqueue_body` of a reply. `msg` is well-formed XML with one root.

A reply without a valid score would be shown as a broken grader, and one with zero would be a zero; so for a
report without a score there is no reply, and the queue hands the submission out again.
"""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from grader.exports.escaping import for_xml
from grader.exports.fitting import MIB, cut, fit
from grader.exports.points import FRACTION_DECIMALS, fraction_of
from grader.exports.request import Rendered, Request
from grader.exports.shown import headline, overview, shown_checks
from grader.exports.targets import NotGradableError, ResultFormat, Setting

LIMIT_BYTES = MIB // 2


def render(request: Request) -> Rendered:
    report = request.report
    fraction = fraction_of(report)
    if fraction is None:
        raise NotGradableError(headline(report), hint="Send no reply: the queue offers it again.")
    worth = request.number("maximum") or 1.0

    def document(room: int) -> str:
        body = {
            "correct": fraction == 1.0,
            "score": round(fraction * worth, FRACTION_DECIMALS),
            "msg": _message(request, room),
        }
        return json.dumps(body, allow_nan=False) + "\n"

    return Rendered(fit(document, LIMIT_BYTES))


def _message(request: Request, room: int) -> str:
    root = ET.Element("div")
    _add(root, "p", headline(request.report))
    _add(root, "pre", cut(overview(request.report), 2 * room or 2000))
    for check in shown_checks(request.report, request.audience) if room else ():
        if not check.passed:
            _add(root, "p", f"{check.name} ({check.points})")
            _add(root, "pre", cut(check.text, room))
    return ET.tostring(root, encoding="unicode")


def _add(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(parent, tag).text = for_xml(text)


FORMAT = ResultFormat(
    "Open edX external grader, xqueue_body",
    render,
    file="reply.json",
    settings=(Setting("maximum", "what a full score counts", default="1"),),
)
