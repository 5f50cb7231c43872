"""The distribution of scores as a picture of bars: SVG without a style, so the strictest policy shows it."""

from __future__ import annotations

from markupsafe import Markup

from grader.report.wording import points_text
from grader.review.desk_records import Distribution

_WIDTH, _HEIGHT, _FOOT, _HEAD, _GAP = 560, 150, 20, 16, 3


def draw_bars(distribution: Distribution) -> Markup:
    """A bar for every bin with its count above; empty if nothing has a score."""
    bins = distribution.bins
    most = max((one.count for one in bins), default=0)
    if not most:
        return Markup("")
    step = _WIDTH / len(bins)
    floor = _HEIGHT - _FOOT
    parts = [Markup('<line x1="0" y1="{0}" x2="{1}" y2="{0}" stroke-width="1"/>').format(floor + 0.5, _WIDTH)]
    for at, one in enumerate(bins):
        left, height = at * step, (floor - _HEAD) * one.count / most
        middle = f"{left + step / 2:.1f}"
        if one.count:
            parts.append(
                Markup('<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2"/>').format(
                    left + _GAP / 2, floor - max(height, 1.5), step - _GAP, max(height, 1.5)
                )
            )
            parts.append(
                Markup('<text x="{}" y="{:.1f}">{}</text>').format(middle, floor - height - 4, one.count)
            )
        parts.append(
            Markup('<text x="{}" y="{}">{}</text>').format(middle, _HEIGHT - 5, points_text(one.low))
        )
    told = ", ".join(
        f"{one.count} from {points_text(one.low)} to {points_text(one.high)}" for one in bins if one.count
    )
    return Markup('<svg class="bars" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        _WIDTH, _HEIGHT, f"Scores: {told}.", Markup("").join(parts)
    )
