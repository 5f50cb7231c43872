from __future__ import annotations

from typing import Any

import pytest

from grader.report.schema import Report

LIMIT_BYTES = 1024 * 1024


def test_valid_and_small_for_every_status(
    any_report: tuple[str, Report], export: Any, read_valid: Any
) -> None:
    text = export("prairielearn", any_report[1]).text
    read_valid("prairielearn", text)
    assert len(text.encode()) < LIMIT_BYTES


@pytest.mark.parametrize("status", ["needs regrade", "one check failed us", "rejected", "no exercise"])
def test_not_gradable_uses_up_no_attempt(
    status: str, reports: dict[str, Report], export: Any, read_valid: Any
) -> None:
    document = read_valid("prairielearn", export("prairielearn", reports[status]).text)
    assert document["gradable"] is False
    assert document["format_errors"][0]
    assert "<" not in document["format_errors"][0]


def test_score_is_a_fraction(reports: dict[str, Report], export: Any, read_valid: Any) -> None:
    assert read_valid("prairielearn", export("prairielearn", reports["full"]).text)["score"] == 1
    report = reports["graded"]
    document = read_valid("prairielearn", export("prairielearn", report).text)
    assert document["score"] == pytest.approx((report.score or 0) / report.max_score, abs=1e-6)
