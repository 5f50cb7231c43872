"""Draws pictures with matplotlib. Only `pictures.draw` imports this module, one thread at a time."""

from __future__ import annotations

import io
from typing import Any

import matplotlib as mpl

from grader.pictures import Heatmaps, Picture
from grader.report.pictures_curves import draw_curves
from grader.report.pictures_heatmaps import draw_heatmaps
from grader.report.pictures_svg import INK, tidy

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "grade", "font.family": "sans-serif", "font.size": 9,
    "axes.labelsize": 9, "legend.fontsize": 8, "xtick.labelsize": 8, "ytick.labelsize": 8,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.linewidth": 0.6,
}  # fmt: skip


def draw_svg(picture: Picture, name: str, description: str) -> str:
    """The markup; ids begin with `name`."""
    with mpl.rc_context(_SETTINGS):
        drawn = draw_heatmaps(picture) if isinstance(picture, Heatmaps) else draw_curves(picture)
        out = io.StringIO()
        drawn.figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return tidy(out.getvalue(), name, picture.title, description, drawn.labels)
