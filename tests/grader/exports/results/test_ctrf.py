from __future__ import annotations

from collections import Counter
from typing import Any

from grader.report.schema import Report


def test_valid_against_the_published_schema(
    any_report: tuple[str, Report], export: Any, read_valid: Any
) -> None:
    for audience in ("student", "staff"):
        document = read_valid("ctrf", export("ctrf", any_report[1], audience).text)
        results = document["results"]
        counts = Counter(test["status"] for test in results["tests"])
        assert results["summary"]["tests"] == len(results["tests"])
        assert all(
            results["summary"][status] == counts[status]
            for status in ("passed", "failed", "skipped", "pending", "other")
        )
        assert ("score" in document["extra"]["grade"]) == (any_report[1].score is not None)


def test_our_failure_is_other(reports: dict[str, Report], export: Any, read_valid: Any) -> None:
    document = read_valid("ctrf", export("ctrf", reports["needs regrade"]).text)
    assert [test["status"] for test in document["results"]["tests"]] == ["other"]


def test_extensions_that_were_not_begun_are_skipped(
    reports: dict[str, Report], export: Any, read_valid: Any
) -> None:
    results = read_valid("ctrf", export("ctrf", reports["extensions not begun"]).text)["results"]
    assert (results["summary"]["failed"], results["summary"]["skipped"]) == (0, 8)
    skipped = [test for test in results["tests"] if test["status"] == "skipped"]
    assert {test["rawStatus"] for test in skipped} == {"not_attempted", "missing"}
    wrong = read_valid("ctrf", export("ctrf", reports["one extension wrong"]).text)["results"]
    assert (wrong["summary"]["failed"], wrong["summary"]["skipped"]) == (1, 8)
