from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from grader.exports.targets import NotGradableError
from grader.report.schema import Report


def test_message_is_well_formed_with_one_root(
    any_report: tuple[str, Report], export: Any, read_valid: Any
) -> None:
    status, report = any_report
    if report.score is None or status == "no exercise":
        with pytest.raises(NotGradableError):
            export("edx", report)
        return
    document = read_valid("edx", export("edx", report).text)
    root = ET.fromstring(document["msg"])
    assert root.tag == "div"
    assert {element.tag for element in root.iter()} <= {"div", "p", "pre"}
    assert document["correct"] is (report.score == report.max_score)


def test_score_in_the_courses_unit(reports: dict[str, Report], export: Any, read_valid: Any) -> None:
    assert read_valid("edx", export("edx", reports["full"]).text)["score"] == 1
    assert read_valid("edx", export("edx", reports["full"], maximum="4").text)["score"] == 4
