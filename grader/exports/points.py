"""Points in other units: fractions, percents, whole numbers. Always finite, clamped after rounding."""

from __future__ import annotations

from grader.report.schema import Report, rounded

FRACTION_DECIMALS = 6
_LARGEST_SHARE = 0.999999


def fraction_of(report: Report) -> float | None:
    """The score as a share of the maximum, 0 to 1; None if there is no score or nothing to earn.

    Only a full score gives exactly 1.
    """
    if report.score is None or report.max_score <= 0:
        return None
    share = min(1.0, max(0.0, report.score / report.max_score))
    if report.score >= report.max_score:
        return 1.0
    return min(round(share, FRACTION_DECIMALS), _LARGEST_SHARE)


def plain(number: float) -> int | float:
    """A number as JSON shows it best: whole ones without a decimal point, else at most four decimals."""
    value = rounded(number)
    return int(value) if value == int(value) else value


def scaled(points: float | None, factor: float) -> int | float | None:
    """Points times a factor, as `plain` writes them; None stays None."""
    return None if points is None else plain(points * factor)


def whole(points: float, per_point: float) -> int:
    """Points in units of 1 / `per_point`, rounded to a whole number from 0 on."""
    return max(0, round(points * per_point))
