from __future__ import annotations

from typing import Any

import pytest

from grader.exports.targets import NotGradableError, SettingError
from grader.report.schema import Report


def test_whole_points_within_their_maximum(
    any_report: tuple[str, Report], export: Any, read_valid: Any
) -> None:
    report = any_report[1]
    if report.score is None:
        with pytest.raises(NotGradableError):
            export("classroom50", report)
        return
    document = read_valid("classroom50", export("classroom50", report).text)
    assert document["score"] <= document["max-score"] == round(100 * report.max_score)
    assert all(test["score"] <= test["max-score"] for test in document["tests"])


def test_submission_must_be_a_submit_tag(reports: dict[str, Report], export: Any) -> None:
    with pytest.raises(SettingError, match="submit/"):
        export("classroom50", reports["full"], submission="v1")
