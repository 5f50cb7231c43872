"""Whose fault is it? Every failure has an owner, and only a student's failure may cost points.

`SubmissionError` and `StudentError` belong to the student, `AssignmentError` to the author of the
assignment, `HarnessError` to us. The last two end a run with exit code 3 and never become a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Outcome = Literal[
    "passed",
    "failed",
    "raised",
    "timed_out",
    "out_of_memory",
    "crashed",
    "bad_return",
    "missing",
    "not_attempted",
    "skipped",
    "harness_error",
]


class GraderError(Exception):
    """Base of everything that the grader raises on purpose; `hint` says what to try."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SubmissionError(GraderError):
    """The submission as a whole cannot be read; the student can fix it (report status `rejected`)."""


class AssignmentError(GraderError):
    """The assignment itself is broken: `problems` lists everything that is wrong, at once."""

    def __init__(self, message: str, *, problems: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.problems = tuple(problems)


class NoAssignmentError(AssignmentError):
    """There is no assignment where one was looked for: wrong usage, and nothing is written."""


class HarnessError(GraderError):
    """We failed. The submission needs a regrade and keeps whatever it had; never a zero."""


class IsolationError(GraderError):
    """The isolation that was asked for cannot be had on this machine; nothing was graded."""


class StudentError(GraderError):
    """The student's code misbehaved in a worker.

    `outcome` is what the check becomes; `kind` is finer and stable (`import`, `raised`, `cpu_limit`,
    `wall_limit`, `memory`, `crash`, `exit`, `output`, `bad_return`, `protocol`); `frames` are the
    student's own lines, outermost first, as (where, code). `discreet` is the message without anything that
    the code chose freely, where the two differ: what a hidden check may show, since the code saw its inputs.
    """

    def __init__(
        self,
        message: str,
        *,
        outcome: Outcome,
        kind: str,
        frames: Sequence[tuple[str, str]] = (),
        hint: str = "",
        exception_type: str = "",
        discreet: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.outcome: Outcome = outcome
        self.kind = kind
        self.frames = tuple(frames)
        self.exception_type = exception_type
        self.discreet = discreet or message
