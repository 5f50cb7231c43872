from __future__ import annotations

from typing import Any

import pytest

from grader.exports.targets import NotGradableError
from grader.report.schema import Report


def test_valid_or_no_file(any_report: tuple[str, Report], export: Any, read_valid: Any) -> None:
    status, report = any_report
    if report.score is None or status == "no exercise":
        with pytest.raises(NotGradableError):
            export("coursera", report)
        return
    document = read_valid("coursera", export("coursera", report).text)
    assert "<" not in document["feedback"]


def test_what_is_not_full_is_never_rounded_up_to_full(
    reports: dict[str, Report], export: Any, read_valid: Any
) -> None:
    fields = reports["full"].model_dump(mode="json")
    first, second = fields["exercises"][0]["checks"]
    first |= {"score": 1e7, "max_score": 1e7}
    second |= {"score": 2.4999, "outcome": "failed"}
    whole = {"score": 1e7 + 2.4999, "max_score": 1e7 + 2.5}
    fields["exercises"][0] |= {**whole, "status": "partial"}
    nearly = Report.model_validate({**fields, **whole})
    assert read_valid("coursera", export("coursera", nearly).text)["fractionalScore"] < 1
    assert read_valid("coursera", export("coursera", reports["full"]).text)["fractionalScore"] == 1
