"""From how a test function ended to the outcome of its check and the words for it."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.errors import HarnessError, Outcome, StudentError
from grader.printable import printable
from grader.student.calls import Call
from grader.suite.checks import CheckInfo
from grader.suite.comparison import show
from grader.suite.failures import CheckFailed

MAX_DETAIL = 2000
GRADER = Path(__file__).resolve().parents[1]
ASSERTED = "What this check asserts does not hold."


@dataclass
class Verdict:
    """The outcome of one case of a check. `staff_message` may say what a student must not see.

    `misconception` is the known mistake that the check itself has seen; `diagnosis` is what is shown.
    """

    outcome: Outcome
    message: str = ""
    hint: str = ""
    frames: Sequence[tuple[str, str]] = ()
    staff_message: str = ""
    devices: dict[str, str] = field(default_factory=dict)
    diagnosis: dict[str, str] | None = None
    reason: str = ""
    misconception: str = ""
    margins: list[dict[str, Any]] = field(default_factory=list)

    @property
    def _needs_hint(self) -> bool:
        """Does a check's own hint fit? An error or a wrong form already says what to look for."""
        return self.outcome == "failed" and self.reason in ("values", "gradient", "property")

    def as_json(self, info: CheckInfo, case: str, duration_s: float) -> dict[str, Any]:
        return {
            **info.as_json(),
            "case": case,
            "outcome": self.outcome,
            "message": self.message,
            "hint": self.hint or (info.hint if self._needs_hint else ""),
            "frames": [{"where": where, "code": code} for where, code in self.frames],
            "diagnosis": self.diagnosis,
            "devices": self.devices,
            "duration_s": duration_s,
            "staff_message": self.staff_message,
            "reason": self.reason,
            "margins": self.margins,
        }


def judge_ending(err: BaseException | None, info: CheckInfo, calls: Sequence[Call]) -> Verdict:
    """What it means that a test function ended with `err` (None: it returned)."""
    if err is None:
        return Verdict("passed")
    if isinstance(err, StudentError):
        return _student_ending(err, info)
    if isinstance(err, CheckFailed):
        message = err.message
        if info.visibility == "public" and err.detail:
            message = f"{message}\n{describe_example(calls, err.detail)}"
        return Verdict(
            "failed",
            message,
            err.hint,
            staff_message=printable(err.detail, MAX_DETAIL),
            reason=err.reason,
            misconception=err.misconception,
        )
    if isinstance(err, pytest.skip.Exception):
        return Verdict("skipped", printable(str(err), MAX_DETAIL))
    if isinstance(err, HarnessError):
        return Verdict("harness_error", err.message, staff_message=err.message)
    if isinstance(err, AssertionError) and info.judges_by_assert and not _is_ours(err):
        return _assert_ending(err, info)
    # Anything else is a mistake in the suite or in us: an assertion without words, an error in a check.
    trace = "".join(traceback.format_exception(type(err), err, err.__traceback__)[-6:])
    return Verdict(
        "harness_error",
        "The check itself failed; this is not your fault.",
        staff_message=printable(f"{type(err).__name__}: {err}\n{trace}", MAX_DETAIL),
    )


def _assert_ending(err: AssertionError, info: CheckInfo) -> Verdict:
    """A bare assertion of a suite that says that it judges by them; its words may hold expected values."""
    told = printable(str(err), MAX_DETAIL)
    shown = f"{ASSERTED}\n{told}" if told and info.visibility == "public" else ASSERTED
    return Verdict("failed", shown, staff_message=told, reason="property")


def _is_ours(err: AssertionError) -> bool:
    """Was it raised in the grader itself, and not in a suite or a library that a suite calls?"""
    frames = [frame for frame, _ in traceback.walk_tb(err.__traceback__)]
    return not frames or Path(frames[-1].f_code.co_filename).is_relative_to(GRADER)


def _student_ending(err: StudentError, info: CheckInfo) -> Verdict:
    """Code that has seen a hidden check's inputs could tell them in whatever it says."""
    if info.visibility == "public":
        return Verdict(err.outcome, err.message, err.hint, err.frames, reason=err.kind)
    frames = err.frames if err.kind == "import" else err.frames[-1:]
    told = "" if err.message == err.discreet else err.message
    return Verdict(err.outcome, err.discreet, err.hint, frames, staff_message=told, reason=err.kind)


def describe_example(calls: Sequence[Call], detail: str) -> str:
    """The last call of a public check with its small inputs, and what came back and was expected."""
    if not calls:
        return printable(detail, MAX_DETAIL)
    call = calls[-1]
    name = call.symbol if call.constructor is None else f"{call.symbol}({_shown(call.constructor)})"
    return printable(f"called:    {name}({_shown(call.arguments)})\n{detail}", MAX_DETAIL)


def _shown(values: Sequence[Any]) -> str:
    return ", ".join(show(value) for value in values)
