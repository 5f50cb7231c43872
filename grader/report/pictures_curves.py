"""Curves and points in one pair of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from grader.pictures import Curve, Curves, numbers
from grader.report.pictures_svg import INK, Drawn

# Colours that differ in brightness too, readable on white and on near-black (after Okabe and Ito).
_COLOURS = ("#1f83c6", "#d55e00", "#009e73", "#c77cad", "#b58900", "#5aa9dd")
_GIVEN = "#8a8a8a"
_FEW_POINTS = 12
LARGEST_DRAWN = 1e30  # beyond it no axis can be divided; NaN is no number either
_WIDTH, _HEIGHT = 6.2, 2.9  # inches
_LEFT, _BOTTOM, _TOP = 0.6, 0.5, 0.12
_LEGEND, _PER_LETTER = 0.6, 0.068


def draw_curves(picture: Curves) -> Drawn:
    longest = max(len(curve.label) for curve in picture.curves)
    legend = _LEGEND + _PER_LETTER * longest
    width = _WIDTH + max(0.0, legend - 1.8)
    drawn = Figure(figsize=(width, _HEIGHT))
    box = (_LEFT / width, _BOTTOM / _HEIGHT, (width - _LEFT - legend) / width, 1 - (_BOTTOM + _TOP) / _HEIGHT)
    axes = drawn.add_axes(box)
    groups = list(dict.fromkeys(curve.group for curve in picture.curves if curve.group))
    for curve in picture.curves:
        _plot(axes, curve, groups)
    axes.set_xlabel(picture.xlabel)
    axes.set_ylabel(picture.ylabel)
    _limit(axes, picture)
    axes.grid(visible=True, color=INK, alpha=0.12, linewidth=0.5)
    axes.tick_params(left=False, bottom=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_locator(MaxNLocator(7, integer=picture.counts))
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), frameon=False, handlelength=2.4)
    return Drawn(drawn)


def _plot(axes: Axes, curve: Curve, groups: Sequence[str]) -> None:
    x, y = np.array(numbers(curve.x)), np.array(numbers(curve.y))
    y = np.where(np.abs(y) <= LARGEST_DRAWN, y, np.nan)
    own = _COLOURS[groups.index(curve.group) % len(_COLOURS)] if curve.group else _COLOURS[0]
    beside = own if curve.group else _COLOURS[1]
    marker = "o" if len(x) <= _FEW_POINTS else ""
    styles: dict[str, dict[str, Any]] = {
        "student": {"color": own, "linewidth": 2.0, "zorder": 3, "marker": marker, "markersize": 4},
        "expected": {"color": beside, "linewidth": 1.4, "linestyle": (0, (4, 2)), "zorder": 4},
        "truth": {"color": INK, "linewidth": 1.0, "linestyle": (0, (1, 1.5)), "zorder": 2},
        "given": {"color": _GIVEN, "linestyle": "", "marker": "o", "markersize": 3.5, "zorder": 1},
    }
    axes.plot(x, y, label=curve.label, **styles[curve.role])


def _limit(axes: Axes, picture: Curves) -> None:
    """The student's curve may run out of the picture: what it is compared with must stay readable."""
    base = [n for c in picture.curves if c.role != "student" for n in numbers(c.y) if abs(n) <= LARGEST_DRAWN]
    own = [n for c in picture.curves if c.role == "student" for n in numbers(c.y) if abs(n) <= LARGEST_DRAWN]
    base = base or own or [0.0, 1.0]
    low, high = min(base), max(base)
    reach = max(high - low, 1e-9)
    low, high = max(min([low, *own]), low - reach), min(max([high, *own]), high + reach)
    space = 0.06 * max(high - low, 1e-9)
    axes.set_ylim(low - space, high + space)
