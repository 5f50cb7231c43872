"""What holds for all formats alike, over every status and with hostile text."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote_plus

import pytest

from grader.exports.targets import NotGradableError, load_format, target_names
from grader.report.schema import Report

FORMATS = target_names("results")
# They have no document that says "not graded": writing none is their way.
SILENT = {"classroom50", "coderunner", "codio", "coursera", "edx"}
UNGRADABLE = ("needs regrade", "one check failed us")
# They have a word for what was skipped; `json` is the report itself. Others leave out what was not begun.
WITH_SKIPPED = {"json", "junit", "ctrf"}
# How a full score of 5 points is written.
TOTALS = {
    "autolab": '{"scores": {"beta": 5',
    "classroom50": '"score": 500,\n "max-score": 500,',
    "coderunner": '"fraction": 1.0',
    "codio": "grade=100&",
    "coursera": '"fractionalScore": 1.0',
    "ctrf": '"score": 5\n',
    "edx": '"correct": true, "score": 1.0',
    "github": "score=5\nmax_score=5\n",
    "gradescope": '"score": 5,',
    "lti-ags": '"scoreGiven": 5,\n "scoreMaximum": 5',
    "prairielearn": '"score": 1.0',
    "vpl": "Grade :=>> 5\n",
}


def _texts(rendered: Any) -> list[str]:
    return [rendered.text, *rendered.appended.values()]


def _plain(rendered: Any) -> str:
    """All that is written, without the marks of forms and Markdown."""
    return unquote_plus("".join(_texts(rendered))).replace("\\", "")


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


@pytest.mark.parametrize("name", sorted(set(FORMATS) - WITH_SKIPPED))
def test_extensions_that_were_not_begun_are_no_failures(
    name: str, reports: dict[str, Report], export: Any
) -> None:
    told = _plain(export(name, reports["extensions not begun"]))
    assert "check, number" not in told.replace("The passed check, number", "")
    assert "as it was handed out" not in told


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"json", "classroom50"}))
def test_why_an_extension_that_looks_begun_is_not_found_is_said(
    name: str, reports: dict[str, Report], export: Any
) -> None:
    assert "Look at the mask" in _plain(export(name, reports["extensions not begun"]))


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"json"}))
@pytest.mark.parametrize(
    ("status", "outcome"), [("one extension wrong", "failed"), ("core not begun", "missing")]
)
def test_wrong_extensions_and_missing_core_exercises_stay_failures(
    name: str, status: str, outcome: str, reports: dict[str, Report], export: Any
) -> None:
    assert f"The {outcome} check, number" in _plain(export(name, reports[status]))


@pytest.mark.parametrize(("name", "total"), TOTALS.items())
def test_extensions_that_were_not_begun_change_no_points(
    name: str, total: str, reports: dict[str, Report], export: Any
) -> None:
    for status in ("full", "extensions not begun"):
        assert total in "".join(_texts(export(name, reports[status])))


def test_json_is_the_report_itself(reports: dict[str, Report], export: Any) -> None:
    assert Report.model_validate(json.loads(export("json", reports["graded"]).text)) == reports["graded"]
    assert "FOR-STAFF-ONLY" not in export("json", reports["graded"], "student").text
