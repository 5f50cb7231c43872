"""LTI 1.3 Assignment and Grade Services: the score document to POST to a line item.

Points come with the line item's own maximum. A report without a score says `Failed` and carries no number:
no platform writes a grade for it.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

from grader.exports.fitting import cut
from grader.exports.points import plain, scaled
from grader.exports.request import Rendered, Request
from grader.exports.shown import failures_text
from grader.exports.targets import ResultFormat, Setting, SettingError
from grader.printable import printable

COMMENT_CHARACTERS = 4000
CHECK_CHARACTERS = 400
CANVAS = "https://canvas.instructure.com/lti/submission"


def render(request: Request) -> Rendered:
    report = request.report
    finished = report.started_at + timedelta(seconds=report.duration_s)
    fields: dict[str, Any] = {
        "userId": request.settings["user"],
        "timestamp": time_text(finished),
        "activityProgress": "Submitted" if report.score is None else "Completed",
        "gradingProgress": "Failed",
        "comment": cut(failures_text(report, request.audience, CHECK_CHARACTERS), COMMENT_CHARACTERS),
    }
    if report.score is not None and report.max_score > 0:
        fields |= {
            "gradingProgress": "FullyGraded",
            "scoreGiven": scaled(report.score, request.factor),
            "scoreMaximum": plain(request.number("maximum") or report.max_score),
        }
    elif report.score is not None:
        fields["gradingProgress"] = "NotReady"
    if submitted := request.settings["submitted"]:
        fields["submission"] = {"submittedAt": time_text(_read_time(submitted))}
    if request.settings["canvas"]:
        fields[CANVAS] = {"new_submission": False}
    return Rendered(json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def time_text(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _read_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        shown = printable(text, 80, one_line=True)
        raise SettingError(f"`submitted` takes a time with its zone (ISO 8601), got `{shown}`.")
    return moment


FORMAT = ResultFormat(
    "LTI 1.3 AGS score document",
    render,
    file="score.json",
    settings=(
        Setting("user", "the launch's `sub` of the student", "LTI_USER_ID"),
        Setting("maximum", "scoreMaximum of the line item", default=""),
        Setting("submitted", "when the student submitted (ISO 8601 with zone)", default=""),
        Setting("canvas", "anything: ask Canvas to make no new attempt", default=""),
    ),
)
