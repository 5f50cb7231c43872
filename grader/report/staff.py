"""What staff are told of a check beside its message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.records import DEVICE_CASES
from grader.report.schema import CheckResult


def staff_text(check: CheckResult) -> str:
    """The lines of the staff message that the message does not say; empty if there are none.

    A public check shows its example to everybody, so its staff message adds the case at most.
    """
    told, shown = (text or "" for text in (check.staff_message, check.message))
    return "\n".join(_added(told.split("\n"), shown.split("\n"))).strip("\n")


def _added(told: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    for line in told:
        case, _, rest = line.partition("] ")
        if line in shown:
            continue
        if not (line.startswith("[") and rest in shown):
            yield line
        elif case[1:] not in DEVICE_CASES:  # the devices have a line of their own
            yield f"case {case[1:]}"
