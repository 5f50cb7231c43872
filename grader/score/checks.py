"""One check: its cases made one outcome, its points made four-decimal scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from grader.records import DEVICE_CASES, Problem
from grader.report.schema import CheckResult, DeviceState, rounded
from grader.score.readout import CaseRecord, CatalogueEntry

# When cases of one check saw different things on a device, the first of these that occurs is reported.
_GRAVEST_FIRST: tuple[DeviceState, ...] = ("failed", "inconclusive", "not available", "passed")

NOT_RUN_MESSAGE = "The grader did not run this check to its end."


def split_points(points: Sequence[float]) -> list[float]:
    """`points` with four decimals each, such that they still sum to the rounded total.

    Thirds of a point would otherwise add up to 0.9999: here the last takes what rounding left over.
    """
    marks = [0.0, *(rounded(total) for total in accumulate(points))]
    return [rounded(after - before) for before, after in pairwise(marks)]


def check_of_problem(entry: CatalogueEntry, points: float, problem: Problem) -> CheckResult:
    """The result of a check that could not be run because of how the submission is."""
    return CheckResult(
        id=check_id(entry),
        title=entry.title,
        visibility=entry.visibility,
        outcome=problem.outcome,
        score=0.0,
        max_score=points,
        message=problem.message,
        hint=problem.hint or None,
    )


def check_of_cases(entry: CatalogueEntry, points: float, cases: Sequence[CaseRecord]) -> CheckResult:
    """The result of a check from all its cases: it carries its points only if every case passed.

    Our own failure in any case decides, then the first case that did not pass. A check without a case,
    or with another number of them than the suite defines, was not run to its end.
    """
    if not cases or (entry.cases is not None and entry.cases != len(cases)):
        return _harness_error(entry, points, f"{len(cases)} of {entry.cases or 'its'} cases were run.")
    deciding = _deciding_case(cases)
    passed = deciding.outcome == "passed"
    return CheckResult(
        id=check_id(entry),
        title=entry.title,
        visibility=entry.visibility,
        outcome=deciding.outcome,
        score=None if deciding.outcome == "harness_error" else points if passed else 0.0,
        max_score=points,
        message=None if passed else deciding.message,
        staff_message=_staff_message(cases, deciding),
        hint=None if passed else deciding.hint or None,
        frames=() if passed else deciding.frames,
        diagnosis=None if passed else deciding.diagnosis,
        devices=_merge_devices(cases),
        duration_s=sum(case.duration_s for case in cases),
    )


def check_id(entry: CatalogueEntry) -> str:
    return f"{entry.stem}::{entry.name}"


def _deciding_case(cases: Sequence[CaseRecord]) -> CaseRecord:
    for case in cases:
        if case.outcome == "harness_error":
            return case
    return next((case for case in cases if case.outcome != "passed"), cases[0])


def _staff_message(cases: Sequence[CaseRecord], deciding: CaseRecord) -> str | None:
    """What only staff are told, with the case's name; of a passed check, the first that says anything."""
    told = deciding if deciding.outcome != "passed" else next((c for c in cases if c.staff_message), deciding)
    if told.staff_message:
        return f"[{told.case}] {told.staff_message}" if told.case else told.staff_message
    # A parametrised check: which case it was tells nothing that is hidden, and staff look for it.
    return f"case {told.case}" if told.outcome != "passed" and told.case not in ("", *DEVICE_CASES) else None


def _merge_devices(cases: Sequence[CaseRecord]) -> dict[str, DeviceState]:
    seen: dict[str, set[DeviceState]] = {}
    for case in cases:
        for device, state in case.devices.items():
            seen.setdefault(device, set()).add(state)
    return {device: next(s for s in _GRAVEST_FIRST if s in states) for device, states in seen.items()}


def _harness_error(entry: CatalogueEntry, points: float, staff_message: str) -> CheckResult:
    return CheckResult(
        id=check_id(entry),
        title=entry.title,
        visibility=entry.visibility,
        outcome="harness_error",
        score=None,
        max_score=points,
        message=NOT_RUN_MESSAGE,
        staff_message=staff_message,
    )
