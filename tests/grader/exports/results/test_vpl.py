from __future__ import annotations

import re
from typing import Any

import pytest

from grader.report.schema import Report

GRADE = re.compile(r"^Grade :=>>(.*)$", re.MULTILINE)
BLOCK = re.compile(r"^\s*(<\|--|--\|>)\s*$", re.MULTILINE)


def grade_of(text: str) -> str | None:
    """As VPL reads it: the last match wins."""
    found = GRADE.findall(text)
    return found[-1].strip() if found else None


def test_every_line_but_the_last_is_a_comment(any_report: tuple[str, Report], export: Any) -> None:
    report = any_report[1]
    text = export("vpl", report).text
    *comments, last = text.rstrip("\n").split("\n")
    assert all(line.startswith("Comment :=>>") for line in comments)
    assert all(":=>>" not in line[len("Comment :=>>") :] for line in comments)
    assert not BLOCK.search(text)
    assert len(GRADE.findall(text)) == (0 if report.score is None else 1)
    assert last.startswith("Comment" if report.score is None else "Grade :=>> ")


def test_points_or_the_scale_of_the_activity(reports: dict[str, Report], export: Any) -> None:
    assert grade_of(export("vpl", reports["full"]).text) == "5"
    assert grade_of(export("vpl", reports["full"], maximum="10.5").text) == "10.5"
    assert grade_of(export("vpl", reports["rejected"], minimum="2", maximum="10").text) == "2"


@pytest.mark.parametrize("status", ["needs regrade", "one check failed us"])
def test_without_a_score_no_grade_is_proposed(status: str, reports: dict[str, Report], export: Any) -> None:
    assert grade_of(export("vpl", reports[status], maximum="10").text) is None
