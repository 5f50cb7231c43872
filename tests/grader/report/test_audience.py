from __future__ import annotations

import json
from typing import Any

import jsonschema

from grader.report.audience import for_audience
from grader.report.schema import Report, report_json_schema
from grader.report.writing import dump_report


def test_staff_see_everything(report: Report) -> None:
    assert for_audience(report, "staff") is report
    assert dump_report(report, "staff").count("SECRET") == 2


def test_students_see_no_staff_text_and_no_seed(report: Report) -> None:
    text = dump_report(report, "student")
    assert "SECRET" not in text
    fields = json.loads(text)
    jsonschema.validate(fields, report_json_schema())
    assert fields["seed"] is None
    assert [note["text"] for note in fields["submission"]["notes"]] == ["A magic is left out."]


def test_students_see_what_a_hidden_check_may_say(report: Report) -> None:
    checks = json.loads(dump_report(report, "student"))["exercises"][0]["checks"]
    hidden = checks[1]
    assert hidden["title"] == "Values match the reference."
    assert hidden["message"] == "The largest error is 0.3, allowed is 1e-5."
    assert (hidden["outcome"], hidden["score"], hidden["max_score"]) == ("failed", 0.0, 3.0)
    assert hidden["hint"] == "Look at the mask."
    assert hidden["diagnosis"]["misconception"] == "off_by_one"
    assert checks[2]["frames"] == [{"where": "`alpha.py` line 3", "code": "x = x.detach()"}]


def test_students_see_what_their_own_code_printed(report: Report) -> None:
    assert json.loads(dump_report(report, "student"))["exercises"][0]["stdout"] == "printed by alice"


def test_nothing_a_follow_through_worker_said_reaches_a_student(fields: dict[str, Any]) -> None:
    alpha = fields["exercises"][0]
    alpha["follow_through"] = True
    alpha["stdout"] = "ANSWER"
    alpha["checks"][1] |= {"message": "ANSWER", "hint": "ANSWER"}
    alpha["checks"][1]["diagnosis"]["hint"] = "ANSWER"
    alpha["checks"][2] |= {"message": "ANSWER", "frames": [{"where": "ANSWER", "code": "ANSWER"}]}
    report = Report.model_validate(fields)
    assert "ANSWER" not in dump_report(report, "student")
    assert "ANSWER" in dump_report(report, "staff")
    shown = json.loads(dump_report(report, "student"))["exercises"][0]
    assert [check["score"] for check in shown["checks"]] == [2.0, 0.0, 0.0]
    assert shown["checks"][2]["message"] == "Your code raises an error."


def test_students_see_no_inner_detail_of_our_failures(fields: dict[str, Any]) -> None:
    fields |= {"status": "needs_regrade", "status_reason": "SECRET /srv/path", "score": None}
    fields["exercises"][0] |= {"status": "needs_regrade", "score": None}
    broken = {"outcome": "harness_error", "score": None, "message": "SECRET traceback"}
    fields["exercises"][0]["checks"][2] |= broken
    text = dump_report(Report.model_validate(fields), "student")
    assert "SECRET" not in text
    assert "this costs no points" in json.loads(text)["status_reason"]
