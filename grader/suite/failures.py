"""A check that fails: the reason, in words that its reader may see."""

from __future__ import annotations

from typing import Literal

Reason = Literal["type", "shape", "dtype", "device", "finite", "values", "gradient", "state", "property"]


class CheckFailed(AssertionError):
    """What a check saw and what it expected.

    `message` never holds inputs or expected values, so it is fit for a hidden check; `detail` may hold
    them and is shown for public checks and to staff only. `misconception` names the known mistake that the
    check has seen; its words are in the exercise's file of misconceptions.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: Reason = "property",
        hint: str = "",
        detail: str = "",
        misconception: str = "",
    ) -> None:
        super().__init__(message)
        self.message, self.reason, self.hint, self.detail = message, reason, hint, detail
        self.misconception = misconception


def fail(message: str, *, reason: Reason = "property", hint: str = "", misconception: str = "") -> None:
    """Fail the check with a message for the student (no inputs, no expected values).

    Raises:
        CheckFailed: always.
    """
    raise CheckFailed(message, reason=reason, hint=hint, misconception=misconception)


def require(
    condition: bool, message: str, *, reason: Reason = "property", hint: str = "", misconception: str = ""
) -> None:
    """Fail the check unless `condition` holds.

    Raises:
        CheckFailed: with `message`.
    """
    if not condition:
        raise CheckFailed(message, reason=reason, hint=hint, misconception=misconception)
