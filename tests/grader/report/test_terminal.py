from __future__ import annotations

import io
import re
from typing import Any

import pytest

from grader.report.doctor import print_environment
from grader.report.schema import Report
from grader.report.terminal import announced, print_report


class _Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def _printed(report: Report, **options: Any) -> str:
    stream = io.StringIO()
    print_report(report, stream, **options)
    return stream.getvalue()


def _changed(fields: dict[str, Any], **changes: Any) -> Report:
    return Report.model_validate({**fields, **changes})


def test_table_has_a_row_per_exercise_and_the_total_comes_last(report: Report) -> None:
    lines = _printed(report).rstrip("\n").split("\n")
    assert lines[0].split() == ["Exercise", "Points", "Status", "Devices", "Time"]
    assert " ".join(lines[2].split()) == "Alpha 2 / 6 partly right failed 20 ms"
    assert " ".join(lines[3].split()) == "Beta 0 / 4 not attempted - -"
    assert lines[-1] == "Total 2 / 10"


def test_failing_check_shows_message_lines_hint_and_diagnosis(report: Report) -> None:
    assert """
Alpha  2 / 6
  ✗ Values match the reference.  (3, failed)
    The largest error is 0.3, allowed is 1e-5.
    Looks like: off by one. The last valid key is masked.
    Hint: Look at the mask.
    Staff: SECRET case 2d.
  ✗ Gradients reach the input.  (1, raised an error)
    `RuntimeError`: no grad
    `alpha.py` line 3: x = x.detach()
  Printed by your code (public checks only):
    printed by alice
""" in _printed(report)


def test_checks_that_fail_alike_give_their_reason_once(fields: dict[str, Any]) -> None:
    checks = fields["exercises"][0]["checks"]
    checks[0] |= {"outcome": "raised", "score": 0.0, "message": "`NameError`: x", "hint": "One."}
    checks[1] |= {"outcome": "raised", "message": "`NameError`: x", "hint": "Two."}
    del checks[1]["diagnosis"], checks[1]["staff_message"]
    fields["exercises"][0]["score"] = fields["score"] = 0.0
    text = _printed(Report.model_validate(fields))
    assert text.count("`NameError`: x") == 1
    assert "Hint" not in text


def test_exercise_stopped_by_one_thing_does_not_list_its_checks(fields: dict[str, Any]) -> None:
    for check in fields["exercises"][0]["checks"]:
        check |= {"outcome": "missing", "score": 0.0, "message": "No `alpha` here.", "frames": []}
        check.pop("diagnosis", None)
        check.pop("staff_message", None)
    fields["exercises"][0] |= {"score": 0.0, "status": "missing"}
    text = _printed(_changed(fields, score=0.0))
    assert "\nAlpha  0 / 6\n    No `alpha` here.\n" in text
    assert "The shape is kept." not in text


def test_students_table_holds_nothing_for_staff(report: Report) -> None:
    text = _printed(report, audience="student", verbose=True)
    assert "SECRET" not in text
    assert "hw.ipynb" in text


def test_piped_output_is_plain_text(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in _printed(report)


def test_colours_are_for_terminals_and_no_color_is_respected(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    coloured, plain = _Terminal(), _Terminal()
    print_report(report, coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    print_report(report, plain)
    assert "\x1b[31m" in coloured.getvalue()
    assert "\x1b[3" not in plain.getvalue()


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_wider_than_the_terminal(
    fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    fields["exercises"][0]["title"] = "Nadaraya-Watson kernel regression"
    fields["exercises"][0]["checks"][1]["message"] = "word " * 100 + "w" * 300
    stream = _Terminal()
    print_report(Report.model_validate(fields), stream, verbose=True, timings={"start": 1.0})
    shown = re.sub("\x1b\\[[0-9;]*m", "", stream.getvalue())  # bold is no colour and stays
    assert "Time" in shown
    assert all(len(line) <= width for line in shown.split("\n"))


def test_hostile_text_is_escaped_and_never_starts_a_line(fields: dict[str, Any]) -> None:
    evil = "[bold red]x[/] :smile:\x1b[2J\r\nTotal 100 / 100\n::error::owned\u202e"
    fields["exercises"][0]["checks"][1]["message"] = evil
    fields["exercises"][0]["checks"][2]["frames"][0] = {"where": evil, "code": evil}
    fields["submission"]["notes"][0] = {"text": evil, "path": evil}
    text = _printed(Report.model_validate(fields), verbose=True)
    assert "[bold red]x[/] :smile:\\x1b[2J" in text
    assert "\x1b" not in text
    assert "\r" not in text
    assert "\u202e" not in text
    assert [line for line in text.split("\n") if line.startswith(("Total", "::"))] == ["Total 2 / 10"]


def test_verbose_says_where_the_time_went(report: Report) -> None:
    timings = {"start": 1.25, "template": 0.4, "suite masked_softmax": 0.05}
    text = _printed(report, verbose=True, timings=timings)
    assert [" ".join(line.split()) for line in text.split("\n") if "suite" in line] == [
        "suite masked_softmax 50 ms"
    ]
    assert text.index("Total 2 / 10") < text.index("Where the time went")
    assert "Where the time went" not in _printed(report, timings=timings)


def test_many_notes_are_cut_unless_verbose(fields: dict[str, Any]) -> None:
    fields["submission"]["notes"] = [{"text": f"Note {number}."} for number in range(12)]
    report = Report.model_validate(fields)
    assert "and 7 more with --verbose" in _printed(report)
    assert "Note 11." not in _printed(report)
    assert "Note 11." in _printed(report, verbose=True)


def test_extension_and_follow_through_are_marked(fields: dict[str, Any]) -> None:
    fields["exercises"][0]["follow_through"] = True
    fields["exercises"][1]["track"] = "extension"
    text = _printed(_changed(fields, max_score=6.0))
    assert "partly right *" in text
    assert "* graded with a reference in place of an earlier exercise" in text
    assert "Beta (extension)" in text
    assert text.endswith("Total 2 / 6\n")


def test_missing_layer_is_said_in_one_line(fields: dict[str, Any]) -> None:
    fields["environment"]["isolation"] = {"level": "auto", "layers": [], "missing": ["seccomp", "uid"]}
    assert "Isolation: auto, without seccomp, uid (see `grade doctor`)\n" in _printed(
        Report.model_validate(fields)
    )


def test_needs_regrade_is_never_shown_as_zero(fields: dict[str, Any]) -> None:
    for exercise in fields["exercises"]:
        exercise |= {"status": "needs_regrade", "score": None, "checks": []}
    report = _changed(fields, status="needs_regrade", status_reason="The judge died.", score=None)
    text = _printed(report)
    assert "Needs regrade: The judge died.\nTotal not known: needs regrade\n" in text
    assert "0 /" not in text


def test_practice_and_rejected_are_called_what_they_are(fields: dict[str, Any]) -> None:
    practice = _printed(_changed(fields, status="practice"))
    assert practice.endswith("Practice total 2 / 10\n")
    said = "Practice: only the checks that you have count here; your course grades with more."
    assert practice.count(said) == 1
    assert said not in _printed(Report.model_validate(fields))
    rejected = _changed(fields, status="rejected", status_reason="`a.zip` is damaged.")
    assert "Rejected: `a.zip` is damaged.\n" in _printed(rejected)


def test_announcement_is_for_terminals_and_leaves_no_trace() -> None:
    terminal, pipe = _Terminal(), io.StringIO()
    with announced("Grading `x\x1b` ...", terminal), announced("Grading", pipe):
        assert terminal.getvalue() == "Grading `x\\x1b` ..."
    assert terminal.getvalue().endswith("\r")
    assert pipe.getvalue() == ""


def test_doctor_prints_versions_devices_layers_and_sentences() -> None:
    stream = io.StringIO()
    environment = {
        "versions": {"grader": "0.1.0", "torch": "2.13.0"},
        "devices": {"cpu": "ok", "cuda": "not available"},
        "isolation": {
            "level": "auto",
            "layers": [
                {"name": "process", "active": True, "detail": "own process"},
                {"name": "seccomp", "active": False, "detail": "pyseccomp is not installed"},
            ],
            "missing": ["seccomp"],
            "sentences": ["Student code cannot read the solutions."],
        },
    }
    print_environment(environment, stream)
    lines = [" ".join(line.split()) for line in stream.getvalue().split("\n")]
    assert "torch 2.13.0" in lines
    assert "cuda not available" in lines
    assert "Isolation: auto" in lines
    assert "process active: own process" in lines
    assert "seccomp missing: pyseccomp is not installed" in lines
    assert "Student code cannot read the solutions." in lines
    assert "Missing: seccomp" in lines


def test_output_of_the_code_is_cut_and_shown_to_students_too(fields: dict[str, Any]) -> None:
    fields["exercises"][0]["stdout"] = "".join(f"line {number}\x1b\n" for number in range(12))
    report = Report.model_validate(fields)
    for audience in ("staff", "student"):
        text = _printed(report, audience=audience)
        assert "    line 9\\x1b\n    and 2 more lines with --verbose\n" in text
        assert "line 10" not in text
    assert "    line 11" in _printed(report, verbose=True)
    fields["exercises"][0]["follow_through"] = True
    assert "Printed" not in _printed(Report.model_validate(fields), audience="student")


def test_checks_that_repeat_one_failure_are_counted(fields: dict[str, Any]) -> None:
    alpha = fields["exercises"][0]
    wrong = {**alpha["checks"][1], "max_score": 0.5}
    del wrong["diagnosis"], wrong["staff_message"]
    things = ("result", "weights", "bias", "gradient", "output")
    alpha["checks"][1:2] = [
        {
            **wrong,
            "id": f"alpha::test_{thing}",
            "title": f"Right {thing}.",
            "message": f"The {thing}: type `NoneType`, expected a tensor.",
        }
        for thing in things
    ]
    alpha["checks"].append({**wrong, "id": "alpha::test_last", "message": "The values are off by up to 3."})
    report = Report.model_validate(fields)
    text = _printed(report)
    assert "Right result." in text
    assert "    and 4 more checks fail for the same reason (-v lists them)\n" in text
    assert "Right weights." not in text
    assert "off by up to 3" in text
    assert all(f"Right {thing}." in _printed(report, verbose=True) for thing in things)


def test_devices_are_named_where_one_tells_more_than_the_cpu(fields: dict[str, Any]) -> None:
    checks = fields["exercises"][0]["checks"]
    checks[1]["devices"] = {"cpu": "passed", "pretend": "passed"}
    text = _printed(Report.model_validate(fields))
    assert "Alpha 2 / 6 partly right ok 20 ms" in " ".join(text.split())
    assert "pretend" not in text
    checks[1]["devices"]["pretend"] = "failed"
    text = _printed(Report.model_validate(fields))
    assert "cpu ok, pretend failed" in text
    assert "\npretend: a device that checks what a GPU would, see docs/instructor.md\n" in text


EXAMPLE = "called:    f([1, 2])\ncame back: [1]\nexpected:  [2]"


@pytest.mark.parametrize(
    ("staff", "added"),
    [
        ("came back: [1]\nexpected:  [2]", None),
        (f"Off by 1.\n{EXAMPLE}", None),
        ("[device] came back: [1]\nexpected:  [2]", None),
        ("[3-long] came back: [1]\nexpected:  [2]", "Staff: case 3-long"),
        ("came back: [1]\nexpected:  [2] (seen before)", "Staff: expected:  [2] (seen before)"),
        ("[[1.0, 2.0]]", "Staff: [[1.0, 2.0]]"),
    ],
)
def test_staff_read_only_what_the_message_does_not_say(
    fields: dict[str, Any], staff: str, added: str | None
) -> None:
    check = fields["exercises"][0]["checks"][1]
    check |= {"visibility": "public", "message": f"Off by 1.\n{EXAMPLE}", "staff_message": staff}
    lines = [line.strip() for line in _printed(Report.model_validate(fields)).split("\n")]
    assert lines.count("came back: [1]") == 1
    assert [line for line in lines if line.startswith("Staff:")] == ([added] if added else [])


def test_staff_read_once_what_holds_for_checks_that_fail_alike(fields: dict[str, Any]) -> None:
    first, second = fields["exercises"][0]["checks"][1:]
    alike = {"outcome": "failed", "message": "Off.", "frames": [], "staff_message": "Saw 3."}
    first |= alike
    second |= alike
    del first["diagnosis"]
    assert _printed(Report.model_validate(fields)).count("Staff: Saw 3.") == 1
