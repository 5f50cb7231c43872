"""When a check's own hint is shown beside what went wrong."""

from __future__ import annotations

from typing import Any

import pytest

from grader.errors import StudentError
from grader.suite.checks import CheckInfo
from grader.suite.failures import CheckFailed
from grader.suite.verdict import judge_ending

INFO = CheckInfo(
    stem="own", name="test_f", title="F", visibility="hidden", points=1.0, hint="Look at the mask.", needs=(),
    accelerator=False,
)  # fmt: skip


def hint_of(err: BaseException) -> Any:
    return judge_ending(err, INFO, ()).as_json(INFO, "", 0.0)["hint"]


@pytest.mark.parametrize(
    ("reason", "is_shown"),
    [("values", True), ("gradient", True), ("property", True), ("type", False), ("shape", False)],
)
def test_hint_of_a_check_is_for_what_it_looks_at(reason: Any, is_shown: bool) -> None:
    assert hint_of(CheckFailed("No.", reason=reason)) == ("Look at the mask." if is_shown else "")
    assert hint_of(CheckFailed("No.", reason=reason, hint="Own.")) == "Own."


@pytest.mark.parametrize("outcome", ["raised", "timed_out", "bad_return"])
def test_an_error_shows_only_a_hint_made_for_it(outcome: Any) -> None:
    assert hint_of(StudentError("No.", outcome=outcome, kind="raised")) == ""
    assert hint_of(StudentError("No.", outcome=outcome, kind="raised", hint="Own.")) == "Own."
