from __future__ import annotations

from typing import Any

import pytest

from grader.exports.targets import NotGradableError
from grader.report.schema import Report


def test_one_valid_object(any_report: tuple[str, Report], export: Any, read_valid: Any) -> None:
    status, report = any_report
    if report.score is None or status == "no exercise":
        with pytest.raises(NotGradableError):
            export("coderunner", report)
        return
    document = read_valid("coderunner", export("coderunner", report).text)
    header, *rows = document["testresults"]
    visible = [name for name in header if name not in ("iscorrect", "ishidden")]
    assert len(document["columnformats"]) == len(visible)
    assert not any(row[header.index("ishidden")] for row in rows)
    assert "<script" not in document["prologuehtml"] + document["epiloguehtml"]


def test_hidden_rows_for_staff(reports: dict[str, Report], export: Any, read_valid: Any) -> None:
    document = read_valid("coderunner", export("coderunner", reports["graded"], "staff").text)
    assert {row[-1] for row in document["testresults"][1:]} == {True, False}
