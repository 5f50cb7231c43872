from __future__ import annotations

from typing import Any

import pytest

from grader.exports.targets import SettingError
from grader.report.schema import Report


def test_valid_for_every_status(any_report: tuple[str, Report], export: Any, read_valid: Any) -> None:
    status, report = any_report
    document = read_valid("lti-ags", export("lti-ags", report).text)
    has_score = report.score is not None and status != "no exercise"
    assert ("scoreGiven" in document) is has_score
    assert (document["gradingProgress"] == "FullyGraded") is has_score


def test_points_come_with_the_line_items_maximum(
    reports: dict[str, Report], export: Any, read_valid: Any
) -> None:
    document = read_valid("lti-ags", export("lti-ags", reports["full"], maximum="20").text)
    assert (document["scoreGiven"], document["scoreMaximum"]) == (20, 20)
    assert document["timestamp"] == "2026-11-20T21:14:04.623Z"


def test_time_of_the_submission(reports: dict[str, Report], export: Any, read_valid: Any) -> None:
    text = export("lti-ags", reports["full"], submitted="2026-11-20T13:14:03-08:00", canvas="yes").text
    document = read_valid("lti-ags", text)
    assert document["submission"] == {"submittedAt": "2026-11-20T21:14:03.000Z"}
    assert document["https://canvas.instructure.com/lti/submission"] == {"new_submission": False}
    with pytest.raises(SettingError, match="with its zone"):
        export("lti-ags", reports["full"], submitted="2026-11-20T13:14:03")


def test_user_is_needed(reports: dict[str, Report], export: Any) -> None:
    with pytest.raises(SettingError, match="--with user="):
        export("lti-ags", reports["full"], user="")
