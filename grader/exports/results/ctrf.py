"""CTRF 1.0.0: a test per check. CTRF has no score; ours stand under `extra`, under one name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import timezone
from typing import Any

from grader.exports.fitting import cut
from grader.exports.points import plain, scaled
from grader.exports.request import Rendered, Request
from grader.exports.shown import Shown, Verdict, shown_checks
from grader.exports.targets import ResultFormat
from grader.report.schema import Report

SPEC_VERSION = "1.0.0"
TEXT_CHARACTERS = 8192
OWN = "grade"
_STATUSES = ("passed", "failed", "skipped", "pending", "other")
_WORDS: Mapping[Verdict, str] = {
    "passed": "passed",
    "failed": "failed",
    "skipped": "skipped",
    "error": "other",
}


def render(request: Request) -> Rendered:
    report = request.report
    tests = [_test(check) for check in shown_checks(report, request.audience, has_skipped=True)]
    if request.audience == "staff":
        _add_output(report, tests)
    document = {
        "reportFormat": "CTRF",
        "specVersion": SPEC_VERSION,
        "timestamp": report.started_at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "generatedBy": OWN,
        "extra": {OWN: _whole(report)},
        "results": {
            "tool": {"name": OWN, "version": report.environment.grader},
            "summary": _summary(report, tests),
            "tests": tests,
        },
    }
    return Rendered(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def _whole(report: Report) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "status": report.status,
        "maxScore": plain(report.max_score),
        "assignment": report.assignment.id,
        "submission": report.submission.id,
    }
    if report.score is not None:
        fields["score"] = plain(report.score)
    if report.status_reason:
        fields["statusReason"] = report.status_reason
    return fields


def _summary(report: Report, tests: list[dict[str, Any]]) -> dict[str, int]:
    counts = Counter(test["status"] for test in tests)
    start = int(report.started_at.timestamp() * 1000)
    return {
        "tests": len(tests),
        **{status: counts[status] for status in _STATUSES},
        "start": start,
        "stop": start + round(report.duration_s * 1000),
    }


def _test(check: Shown) -> dict[str, Any]:
    own: dict[str, Any] = {"maxScore": plain(check.max_score), "counts": check.counts}
    if check.score is not None:
        own["score"] = scaled(check.score, 1.0)
    test: dict[str, Any] = {
        "name": check.name,
        "status": _WORDS[check.verdict],
        "duration": round(check.duration_s * 1000),
        "suite": ["exercises", check.stem],
        "rawStatus": check.outcome,
        "tags": ["hidden" if check.is_hidden else "public"],
        "extra": {OWN: own},
    }
    if check.text:
        test["message"] = cut(check.text, TEXT_CHARACTERS)
    if check.places or check.path:
        test["filePath"] = check.places[-1].path if check.places else check.path
    if check.places and check.places[-1].cell is None:
        test["line"] = check.places[-1].line
    return test


def _add_output(report: Report, tests: list[dict[str, Any]]) -> None:
    """What the code printed goes with the first check of its exercise, for staff only."""
    for exercise in report.exercises:
        for test in tests:
            if test["suite"][1] == exercise.stem and exercise.stdout:
                test["stdout"] = exercise.stdout.splitlines()
                break


FORMAT = ResultFormat("CTRF 1.0.0 (Common Test Report Format)", render, file="ctrf-report.json")
