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


def test_extensions_that_were_not_begun_are_skipped(reports: dict[str, Report], export: Any) -> None:
    root = ET.fromstring(export("junit", reports["extensions not begun"]).text)
    counts = [root.attrib[name] for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["10", "0", "0", "8"]
    said = [one.attrib["message"] for one in root.iter("skipped")]
    assert not any("handed out" in message for message in said)
    # A hidden check says what the public ones say: nothing could be run.
    assert len(set(said)) == 1
    wrong = ET.fromstring(export("junit", reports["one extension wrong"]).text)
    assert (wrong.attrib["failures"], wrong.attrib["skipped"]) == ("1", "8")
    core = ET.fromstring(export("junit", reports["core not begun"]).text)
    assert (core.attrib["failures"], core.attrib["skipped"]) == ("2", "0")


def test_rejected_is_a_failure_also_where_only_extensions_were_asked_for(
    reports: dict[str, Report], export: Any
) -> None:
    fields = reports["rejected"].model_dump(mode="json")
    extension = {**fields["exercises"][0], "track": "extension"}
    alone = Report.model_validate({**fields, "exercises": [extension], "max_score": 0.0})
    assert ET.fromstring(export("junit", alone).text).attrib["failures"] == "1"
    beside = Report.model_validate(
        {**fields, "exercises": [*fields["exercises"], {**extension, "stem": "gamma"}]}
    )
    root = ET.fromstring(export("junit", beside).text)
    assert (root.attrib["failures"], root.attrib["skipped"]) == ("1", "1")
