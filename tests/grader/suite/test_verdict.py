"""When a check's own hint is shown beside what went wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from grader.errors import StudentError
from grader.suite.checks import CheckInfo
from grader.suite.failures import CheckFailed
from grader.suite.verdict import Verdict, judge_ending

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


def asserted(visibility: Any, *, judges: bool = True) -> Any:
    """What becomes of a suite's bare assertion about student code."""
    info = replace(INFO, visibility=visibility, judges_by_assert=judges)
    try:
        assert INFO.points == 2, "expected the secret 2"
    except AssertionError as err:
        return judge_ending(err, info, ())
    return None


def test_a_bare_assert_judges_only_where_the_suite_says_so() -> None:
    assert asserted("hidden", judges=False).outcome == "harness_error"
    hidden, public = asserted("hidden"), asserted("public")
    assert (hidden.outcome, hidden.reason) == ("failed", "property")
    assert hidden.message == "What this check asserts does not hold."
    assert "secret" in hidden.staff_message
    assert "secret" in public.message
    assert hidden.as_json(INFO, "", 0.0)["hint"] == "Look at the mask."


def test_an_assertion_of_the_grader_itself_is_never_the_students() -> None:
    try:
        Verdict.as_json(None, None, "", 0.0)  # type: ignore[arg-type]
    except AttributeError as err:
        broken = AssertionError("ours").with_traceback(err.__traceback__)
    info = replace(INFO, judges_by_assert=True)
    assert judge_ending(broken, info, ()).outcome == "harness_error"
    assert judge_ending(AssertionError("from nowhere"), info, ()).outcome == "harness_error"
