"""What holds for all formats alike, over every status and with hostile text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.exports.targets import NotGradableError, load_format, target_names
from grader.report.schema import Report

FORMATS = target_names("results")
# They have no document that says "not graded": writing none is their way.
SILENT = {"classroom50", "coderunner", "codio", "coursera", "edx"}
UNGRADABLE = ("needs regrade", "one check failed us")


def _texts(rendered: Any) -> list[str]:
    return [rendered.text, *rendered.appended.values()]


@pytest.mark.parametrize("name", FORMATS)
def test_a_document_for_every_status_or_none_where_the_target_has_no_word(
    name: str, any_report: tuple[str, Report], export: Any
) -> None:
    status, report = any_report
    try:
        rendered = export(name, report)
    except NotGradableError:
        nothing_to_earn = status == "no exercise" and name in (SILENT | {"autolab"})
        assert nothing_to_earn or (name in SILENT and status in UNGRADABLE)
        return
    assert not (name in SILENT and status in UNGRADABLE)
    for text in _texts(rendered):
        assert "\0" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        text.encode()
        assert "NaN" not in text
        assert "Infinity" not in text


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"json"}))
def test_students_see_title_and_hint_of_a_hidden_check_and_no_more(
    name: str, any_report: tuple[str, Report], export: Any
) -> None:
    try:
        rendered = export(name, any_report[1])
    except NotGradableError:
        return
    for text in _texts(rendered):
        assert "SECRET-INPUT" not in text
        assert "FOR-STAFF-ONLY" not in text
        assert "424242" not in text


@pytest.mark.parametrize("name", FORMATS)
def test_two_exports_of_one_report_are_equal(name: str, reports: dict[str, Report], export: Any) -> None:
    assert export(name, reports["graded"]) == export(name, reports["graded"])


@pytest.mark.parametrize("name", FORMATS)
def test_formats_say_what_they_are(name: str) -> None:
    target = load_format(name)
    assert target.title
    assert all(setting.meaning for setting in target.settings)


def test_json_is_the_report_itself(reports: dict[str, Report], export: Any) -> None:
    assert Report.model_validate(json.loads(export("json", reports["graded"]).text)) == reports["graded"]
    assert "FOR-STAFF-ONLY" not in export("json", reports["graded"], "student").text
