from __future__ import annotations

from typing import Any

import pytest

from grader.report.schema import Report


def test_valid_for_every_status(any_report: tuple[str, Report], export: Any, read_valid: Any) -> None:
    read_valid("gradescope", export("gradescope", any_report[1]).text)


def test_points_sum_to_the_total(reports: dict[str, Report], export: Any, read_valid: Any) -> None:
    document = read_valid("gradescope", export("gradescope", reports["graded"]).text)
    assert document["score"] == reports["graded"].score
    scored = [test for test in document["tests"] if "score" in test]
    assert sum(test["score"] for test in scored) == document["score"]
    assert sum(test["max_score"] for test in scored) == reports["graded"].max_score


def test_extensions_are_shown_and_weigh_nothing(
    reports: dict[str, Report], export: Any, read_valid: Any
) -> None:
    document = read_valid("gradescope", export("gradescope", reports["graded"]).text)
    extension = [test for test in document["tests"] if test["tags"] == ["gamma"]]
    assert len(extension) == 2
    assert all("score" not in test and "(extension)" in test["name"] for test in extension)


@pytest.mark.parametrize("status", ["needs regrade", "one check failed us"])
def test_without_a_score_no_number_sums_to_zero(
    status: str, reports: dict[str, Report], export: Any, read_valid: Any
) -> None:
    document = read_valid("gradescope", export("gradescope", reports[status]).text)
    assert "score" not in document
    assert all("score" not in test for test in document["tests"])
    assert "costs no points" in document["output"]
    assert document["extra_data"]["grade"]["status"] == "needs_regrade"


def test_students_keep_their_total_because_every_test_is_visible(
    reports: dict[str, Report], export: Any, read_valid: Any
) -> None:
    document = read_valid("gradescope", export("gradescope", reports["graded"]).text)
    assert {test["visibility"] for test in document["tests"]} == {"visible"}
    for_staff = read_valid("gradescope", export("gradescope", reports["graded"], "staff").text)
    assert {test["visibility"] for test in for_staff["tests"]} == {"visible", "hidden"}


def test_points_of_gradescope_itself(reports: dict[str, Report], export: Any, read_valid: Any) -> None:
    document = read_valid("gradescope", export("gradescope", reports["full"], maximum="20").text)
    assert document["score"] == 20
    assert [test["max_score"] for test in document["tests"]] == [10, 10]
