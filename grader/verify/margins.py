"""Tolerances, measured: how far right code strays, and how near the nearest wrong code comes.

For every dtype and tolerance of an exercise: the largest error of any right code over all its comparisons,
and the smallest of the errors by which chaffs give themselves away. A chaff that is wrong in many comparisons
counts where it is seen best, with the seed that shows it least.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grader.verify.attempts import AttemptResult
from grader.verify.schema import MarginProof

WHEAT_FACTOR = 3.0
CHAFF_FACTOR = 10.0
_Bound = tuple[str, float]  # dtype and tolerance


class Extreme(NamedTuple):
    """An error, and whose it is."""

    error: float
    name: str


def measure_margins(
    right: Iterable[AttemptResult], wrong: Iterable[Sequence[AttemptResult]]
) -> tuple[MarginProof, ...]:
    """The margins of one exercise: from all runs of right code, and of each value-chaff the runs by seed."""
    worst: dict[_Bound, Extreme] = {}
    for result in right:
        for one in (one for check in result.checks for one in check.compared):
            bound = (one.dtype, one.tolerance)
            worst[bound] = max(worst.get(bound, Extreme(0.0, "")), Extreme(one.error, result.attempt.name))
    nearest: dict[_Bound, Extreme] = {}
    for runs in wrong:
        for bound, error in _seen(runs).items():
            seen = Extreme(error, runs[0].attempt.name)
            nearest[bound] = min(nearest.get(bound, seen), seen)
    return tuple(_margin(bound, worst.get(bound), nearest.get(bound)) for bound in sorted({*worst, *nearest}))


def _seen(runs: Iterable[AttemptResult]) -> dict[_Bound, float]:
    """By how much a chaff exceeds each tolerance that it fails: the least of the largest errors by seed."""
    least: dict[_Bound, float] = {}
    for run in runs:
        largest: dict[_Bound, float] = {}
        for one in (one for check in run.checks for one in check.failed_values):
            bound = (one.dtype, one.tolerance)
            largest[bound] = max(largest.get(bound, 0.0), one.error)
        for bound, error in largest.items():
            least[bound] = min(least.get(bound, error), error)
    return least


def _margin(bound: _Bound, worst: Extreme | None, nearest: Extreme | None) -> MarginProof:
    return MarginProof(
        dtype=bound[0],
        tolerance=bound[1],
        worst_wheat=worst.error if worst else 0.0,
        worst_wheat_name=worst.name if worst else "",
        nearest_chaff=nearest.error if nearest else None,
        nearest_chaff_name=nearest.name if nearest else "",
        is_measured=worst is not None,
    )


def is_wide_enough(margin: MarginProof) -> bool:
    """Right code keeps away from the tolerance."""
    return margin.worst_wheat * WHEAT_FACTOR <= margin.tolerance


def is_tight_enough(margin: MarginProof) -> bool:
    """Wrong code is far beyond the tolerance."""
    return margin.nearest_chaff is None or margin.tolerance <= margin.nearest_chaff / CHAFF_FACTOR
