from __future__ import annotations

from typing import Any

from grader.report.schema import Report
from grader.report.writing import dump_report


def test_it_is_what_grade_submit_writes(any_report: tuple[str, Report], export: Any) -> None:
    assert export("json", any_report[1]).text == dump_report(any_report[1], "staff")
