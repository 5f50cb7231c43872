from __future__ import annotations

import json
import re
from typing import Any

import pytest

from grader.exports.targets import NotGradableError, SettingError
from grader.report.schema import Report


def parse(line: str) -> Any:
    """As Autolab reads a line: it puts quotes around every word with a colon after it, then parses."""
    return json.loads(re.sub(r"([a-zA-Z0-9]+):", r'"\1":', line))


def test_last_line_is_ours_as_autolab_reads_it(
    any_report: tuple[str, Report], export: Any, read_valid: Any
) -> None:
    status, report = any_report
    if status == "no exercise":
        with pytest.raises(NotGradableError):
            export("autolab", report)
        return
    lines = export("autolab", report).text.rstrip().splitlines()
    parsed = parse(lines[-1])
    read_valid("autolab", lines[-1])
    assert list(parsed["scores"]) == [exercise.stem for exercise in report.exercises]
    assert len(lines) < 10_000
    # No other line can pass for a result.
    for line in lines[:-2]:
        assert not line.startswith("{")


def test_formatted_feedback_stands_before_the_scores(reports: dict[str, Report], export: Any) -> None:
    lines = export("autolab", reports["graded"]).text.rstrip().splitlines()
    feedback = parse(lines[-2])
    assert feedback["_presentation"] == "semantic"
    assert all(stage in feedback for stage in feedback["stages"])
    assert all(
        type(one["passed"]) is bool for stage in feedback["stages"] for one in feedback[stage].values()
    )


@pytest.mark.parametrize("status", ["needs regrade", "one check failed us"])
def test_without_a_score_every_problem_is_null(status: str, reports: dict[str, Report], export: Any) -> None:
    line = export("autolab", reports[status]).text.rstrip().splitlines()[-1]
    assert set(parse(line)["scores"].values()) == {None}


def test_one_problem_for_all(reports: dict[str, Report], export: Any) -> None:
    text = export("autolab", reports["full"], problem="Correctness", maximum="80").text
    assert text.endswith('{"scores": {"Correctness": 80}}\n')


def test_problem_name_that_autolab_cannot_read_is_refused(reports: dict[str, Report], export: Any) -> None:
    with pytest.raises(SettingError, match="Part 1: lists"):
        export("autolab", reports["full"], problem="Part 1: lists")
