from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import pytest

from grader.exports.targets import NotGradableError
from grader.report.schema import Report

LIMIT_BYTES = 1024 * 1024


def test_a_form_with_three_fields(any_report: tuple[str, Report], export: Any) -> None:
    status, report = any_report
    if report.score is None or status == "no exercise":
        with pytest.raises(NotGradableError):
            export("codio", report)
        return
    text = export("codio", report).text
    assert text.isascii()
    form = parse_qs(text, strict_parsing=True)
    assert {name: len(values) for name, values in form.items()} == {"grade": 1, "format": 1, "feedback": 1}
    assert 0 <= float(form["grade"][0]) <= 100
    assert len(form["feedback"][0].encode()) <= LIMIT_BYTES


def test_percent(reports: dict[str, Report], export: Any) -> None:
    assert export("codio", reports["full"]).text.startswith("grade=100&")
