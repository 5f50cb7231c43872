"""Classroom 50: `result.json` with whole points only, so points are counted in hundredths.

Its schema has no word for "not graded"; for a report without a score no file is written.
"""

from __future__ import annotations

import json
from datetime import timedelta, timezone

from grader.exports.points import whole
from grader.exports.request import Rendered, Request
from grader.exports.shown import headline, shown_checks
from grader.exports.targets import NotGradableError, ResultFormat, Setting, SettingError

SCHEMA = "classroom50/result/v1"
_TEXTS = ("classroom", "assignment", "owner", "assignment_type", "submission", "commit", "release", "review")


def render(request: Request) -> Rendered:
    report, settings = request.report, request.settings
    if report.score is None:
        raise NotGradableError(headline(report), hint="Classroom 50 gets no result.json.")
    if settings["assignment_type"] not in ("individual", "group"):
        raise SettingError("`assignment_type` is `individual` or `group`.")
    if not settings["submission"].startswith("submit/"):
        raise SettingError("`submission` is a tag that starts with `submit/`.")
    per_point = request.number("scale") or 1.0
    finished = (report.started_at + timedelta(seconds=report.duration_s)).astimezone(timezone.utc)
    maximum = whole(report.max_score, per_point)
    fields = {
        "schema": SCHEMA,
        **{name: settings[name] for name in _TEXTS},
        "datetime": finished.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": min(whole(report.score, per_point), maximum),
        "max-score": maximum,
        "tests": [
            {
                "test-name": check.name,
                "passed": check.passed,
                "score": min(whole(check.score or 0.0, per_point), whole(check.max_score, per_point)),
                "max-score": whole(check.max_score, per_point),
            }
            for check in shown_checks(report, request.audience)
        ],
    }
    return Rendered(json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


FORMAT = ResultFormat(
    "Classroom 50, result.json",
    render,
    file="result.json",
    settings=(
        Setting("classroom", "name of the classroom", "CLASSROOM"),
        Setting("assignment", "name of the assignment", "ASSIGNMENT"),
        Setting("owner", "the repository's student", "OWNER"),
        Setting("submission", "tag of the submission", "SUBMISSION_TAG"),
        Setting("commit", "address of the commit", "COMMIT_URL"),
        Setting("release", "address of the release", "RELEASE_URL"),
        Setting("review", "address of the review", "REVIEW_URL"),
        Setting("assignment_type", "individual or group", default="individual"),
        Setting("scale", "whole points for each of ours", default="100"),
    ),
)
