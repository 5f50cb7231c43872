from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from grader.report.schema import Report


def test_counts_are_those_of_the_cases(any_report: tuple[str, Report], export: Any) -> None:
    root = ET.fromstring(export("junit", any_report[1]).text)
    suites = root.findall("testsuite")
    assert suites
    for element in (root, *suites):
        cases = element.findall(".//testcase")
        assert int(element.attrib["tests"]) == len(cases)
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.attrib[count]) == sum(case.find(tag) is not None for case in cases)
    for case in root.iter("testcase"):
        assert {"name", "classname", "time"} <= set(case.attrib)
        assert len(case) <= 1


@pytest.mark.parametrize("status", ["needs regrade", "one check failed us"])
def test_our_failure_is_an_error_and_no_failure(status: str, reports: dict[str, Report], export: Any) -> None:
    root = ET.fromstring(export("junit", reports[status]).text)
    assert int(root.attrib["errors"]) == 1


def test_what_was_printed_is_for_staff(reports: dict[str, Report], export: Any) -> None:
    assert "system-out" not in export("junit", reports["graded"]).text
    root = ET.fromstring(export("junit", reports["graded"], "staff").text)
    assert "Grade :=>> 100" in (root.findtext("testsuite/system-out") or "")


def test_line_of_the_student(reports: dict[str, Report], export: Any) -> None:
    root = ET.fromstring(export("junit", reports["one exercise"]).text)
    case = next(case for case in root.iter("testcase") if "failed" in case.attrib["name"])
    assert (case.attrib["file"], case.attrib["line"]) == ("alpha.py", "2")
