"""What a worker's report or end becomes in words; a report is student text and may be anything."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from grader.catalog import Limits
from grader.errors import StudentError
from grader.records import SourceText
from grader.sandbox.endings import error_of_ending, error_of_report, frames_of_dump
from grader.suite.checks import CheckInfo
from grader.suite.verdict import Verdict, judge_ending

SOURCE = SourceText("own", "own.py", "def f(x):\n    return g(x)\n")
LINE = '  File "<student>/own.py", line {} in f\n'


def locate(module: str) -> SourceText | None:
    return SOURCE if module == "own" else None


def reported(**report: Any) -> StudentError:
    return error_of_report(report, Limits(), locate)


def shown(err: StudentError, visibility: Any) -> Verdict:
    info = CheckInfo(
        stem="own", name="test_f", title="F", visibility=visibility, points=1.0, hint="", needs=(),
        accelerator=False,
    )  # fmt: skip
    return judge_ending(err, info, ())


def test_a_public_check_shows_type_text_and_lines() -> None:
    frames = [["own", 1, "f"], ["own", 2, "g"]]
    verdict = shown(reported(type="ValueError", message="too short", frames=frames), "public")
    assert verdict.message == "ValueError: too short"
    assert [code for _, code in verdict.frames] == ["def f(x):", "return g(x)"]


def test_a_hidden_check_shows_a_known_type_and_the_last_line_only() -> None:
    frames = [["own", 1, "f"], ["own", 2, "g"]]
    verdict = shown(reported(type="ValueError", message="X was [1, 2]", frames=frames), "hidden")
    assert (
        verdict.message == "Your code raised ValueError here (a hidden check, so its message is not shown)."
    )
    assert [code for _, code in verdict.frames] == ["return g(x)"]
    assert verdict.staff_message == "ValueError: X was [1, 2]"


def test_a_class_of_the_code_s_own_is_not_named_in_a_hidden_check() -> None:
    verdict = shown(reported(type="Mine", message="X"), "hidden")
    assert verdict.message.startswith("Your code raised an exception of its own class here (a hidden check")


@pytest.mark.parametrize(
    "report",
    [
        {"type": "SECRET", "message": "SECRET"},
        {"type": "SECRET", "message": "SECRET", "memory": True},
        {"type": "SECRET", "message": "SECRET", "exit": True},
        {"type": "SECRET", "message": "SECRET", "unsupported": True},
        {"bad_return": "a value of type `SECRET`"},
        {"bad_return": "SECRET"},
        {"bad_return": "a tensor of dtype torch.SECRET"},
        {"bad_return": "a tensor on device SECRET"},
    ],
)
def test_a_hidden_check_shows_no_word_that_the_code_chose(report: dict[str, Any]) -> None:
    verdict = shown(reported(**report), "hidden")
    assert "SECRET" not in verdict.message + verdict.hint + str(verdict.frames)
    assert "SECRET" in verdict.staff_message


@pytest.mark.parametrize(
    "saw", ["a value of type `NoneType`", "a value of type `tuple`", "a tensor of dtype torch.float8_e5m2"]
)
def test_a_hidden_check_shows_what_was_given_back_if_that_tells_nothing(saw: str) -> None:
    assert shown(reported(bad_return=saw), "hidden").message == f"The code gave back {saw}."


@pytest.mark.parametrize("odd", [None, 3, [], {"a": 1}, "x" * 100_000, "\x1b[2J\r\u202e", True, [[1]] * 1000])
def test_a_report_of_any_shape_becomes_an_error_of_the_students(odd: Any) -> None:
    for field in ("type", "message", "frames", "memory", "exit", "unsupported", "bad_return"):
        err = reported(**{field: odd})
        assert len(err.message) < 2000
        assert not {"\x1b", "\r", "\u202e"} & set(err.message)
        assert all(len(where) + len(code) < 500 for where, code in err.frames)


def test_the_report_of_the_fault_handler_names_lines_outermost_first() -> None:
    dump = ("Current thread:\n" + LINE.format(2) + LINE.format(1)).encode()
    assert [code for _, code in frames_of_dump(dump, locate)] == ["def f(x):", "return g(x)"]


@pytest.mark.parametrize(
    "line", ["9" * 5000, "9" * 50, "0", "-1", "\u0663", "x", "1e9", "", "99999999999999999999999"]
)
def test_a_false_report_of_the_fault_handler_is_no_error_of_ours(line: str) -> None:
    dump = (LINE.format(line) * 3).encode() + b"\xff\xfe" * 100
    assert all(code == "" for _, code in frames_of_dump(dump, locate))


@pytest.mark.parametrize("number", range(1, 65))
def test_every_signal_has_an_ending(number: int) -> None:
    err = error_of_ending(number, killed=False, used_up=False, frames=[])
    assert err.outcome == ("timed_out" if number == signal.SIGXCPU else "crashed")


@pytest.mark.parametrize("code", [0, 1, 3, 70, 97, 98, 255])
def test_every_exit_status_costs_the_check(code: int) -> None:
    err = error_of_ending(code << 8, killed=False, used_up=False, frames=[])
    assert err.outcome in ("crashed", "bad_return")
