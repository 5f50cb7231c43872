"""Heatmaps: a row of matrices per case, all that is the student's and all that is expected on one scale.

Everything stands in one pair of axes whose unit is an inch: axes of their own for each matrix, and a layout
that looks for room, would take a third of a second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from grader.pictures import HeatmapRow, Heatmaps, Matrix, numbers
from grader.report.pictures_svg import INK, Drawn, Label

_ODD, _HATCH = "#a13cc4", "#8a8a8a"
_LABELLED = 40  # cells of a matrix whose numbers are written into them
_BY_PATHS = 600  # cells of a matrix that are paths; a larger one is an image
_LEFT, _TOP, _GAP, _PANEL, _FOOT = 0.55, 0.26, 0.22, 2.0, 0.42  # inches
_LABEL, _BAR, _BAR_ROOM = 0.22, 0.1, 0.62


class Scale(NamedTuple):
    """Colours from `low` to `high`; a number beyond gets the last colour."""

    low: float
    high: float
    colours: str

    def colours_of(self, values: Any) -> Any:
        """Red, green, blue and opacity along a new last axis."""
        with np.errstate(invalid="ignore"):
            parts = (np.clip(values, self.low, self.high) - self.low) / (self.high - self.low)
        found = mpl.colormaps[self.colours](np.nan_to_num(parts))
        found[~np.isfinite(values)] = mpl.colors.to_rgba(_ODD)
        return found


class Panel(NamedTuple):
    """Where one matrix stands, in inches from the upper left corner."""

    left: float
    top: float
    width: float
    height: float


def draw_heatmaps(picture: Heatmaps) -> Drawn:
    compares = any(row.compared is not None for row in picture.rows)
    differs = any(row.expected is not None for row in picture.rows)
    names = ["yours", *(["expected"] if compares else []), *(["yours - expected"] if differs else [])]
    lefts = [_LEFT + place * (_PANEL + _GAP) for place in range(len(names))]
    if differs:
        lefts[-1] += _BAR_ROOM
    tops, bottom = _tops(picture)
    size = (lefts[-1] + _PANEL + _BAR_ROOM, bottom + _FOOT)
    drawn = Figure(figsize=size)
    axes = drawn.add_axes((0, 0, 1, 1), xlim=(0, size[0]), ylim=(size[1], 0))
    axes.set_axis_off()
    scale, gaps = shared_scale(picture.rows), difference_scale(picture.rows)
    labels: list[Label] = []
    for row, top in zip(picture.rows, tops, strict=True):
        panels = [Panel(left, top, _PANEL, _height(row)) for left in lefts]
        labels += _draw_row(axes, row, panels, (scale, gaps))
    _write_names(axes, picture, names, lefts, (tops, bottom))
    _colour_bar(axes, scale, lefts[1 if compares else 0] + _PANEL, (tops[0], bottom))
    if differs:
        _colour_bar(axes, gaps, lefts[-1] + _PANEL, (tops[0], bottom))
    return Drawn(drawn, tuple(labels))


def _tops(picture: Heatmaps) -> tuple[list[float], float]:
    """Where each row begins, and where the last one ends."""
    tops, y = [], _TOP
    for row in picture.rows:
        y += _LABEL if len(picture.rows) > 1 else 0.0
        tops.append(y)
        y += _height(row) + 0.1
    return tops, y - 0.1


def _height(row: HeatmapRow) -> float:
    rows, columns = len(row.student), len(numbers(row.student[0]))
    return min(3.0, max(0.3, _PANEL * 0.72 * rows / columns))


def _draw_row(
    axes: Axes, row: HeatmapRow, panels: Sequence[Panel], scales: tuple[Scale, Scale]
) -> list[Label]:
    own = array(row.student)
    labels = _draw_matrix(axes, own, row, panels[0], scales[0])
    if row.compared is None:
        return labels
    wanted = array(row.compared)
    labels += _draw_matrix(axes, wanted, row, panels[1], scales[0])
    if len(panels) > 2:
        with np.errstate(invalid="ignore"):  # inf - inf
            labels += _draw_matrix(axes, own - wanted, row, panels[2], scales[1])
    return labels


def _draw_matrix(axes: Axes, matrix: Any, row: HeatmapRow, panel: Panel, scale: Scale) -> list[Label]:
    rows, columns = matrix.shape
    right, bottom = panel.left + panel.width, panel.top + panel.height
    x, y = np.linspace(panel.left, right, columns + 1), np.linspace(panel.top, bottom, rows + 1)
    colours = scale.colours_of(matrix)
    if matrix.size > _BY_PATHS:
        place = (panel.left, right, bottom, panel.top)
        axes.imshow(colours, extent=place, aspect="auto", interpolation="nearest")
        cells, faces = _rectangles(x[[0, -1]], y[[0, -1]]), "none"
    else:
        cells, faces = _rectangles(x, y), colours.reshape(-1, 4)
    axes.add_collection(
        PolyCollection(cells, facecolors=faces, edgecolors=INK, linewidths=0.3, clip_on=False)
    )
    if row.masked is not None:
        places = [(r, c) for r, flags in enumerate(row.masked) for c, flag in enumerate(flags) if flag == "1"]
        lines = [[(x[c], y[r + 1]), (x[c + 1], y[r])] for r, c in places]
        axes.add_collection(LineCollection(lines, colors=_HATCH, linewidths=0.8, clip_on=False))
    return list(_numbers_in(matrix, colours, (x, y))) if matrix.size <= _LABELLED else []


def _rectangles(x: Any, y: Any) -> list[list[tuple[float, float]]]:
    """The cells between these edges, row by row."""
    return [
        [(x[c], y[r]), (x[c + 1], y[r]), (x[c + 1], y[r + 1]), (x[c], y[r + 1])]
        for r in range(len(y) - 1)
        for c in range(len(x) - 1)
    ]


def _numbers_in(matrix: Any, colours: Any, edges: tuple[Any, Any]) -> Iterator[Label]:
    """The numbers of the cells: not drawn by matplotlib, which takes half a millisecond for each."""
    x, y = edges
    is_dark = colours[..., :3] @ (0.299, 0.587, 0.114) < 0.55
    for (r, c), value in np.ndenumerate(matrix):
        text = _short(float(value))
        if text in ("0", "-0"):
            continue
        ink = "#ffffff" if is_dark[r, c] else "#1a1a1a"
        yield Label((x[c] + x[c + 1]) / 2, (y[r] + y[r + 1]) / 2, text, ink)


def _short(value: float) -> str:
    """A number in a few letters: `.27`, `1`, `-.5`, `4.2`, `3e9`, `nan`."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 1000:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e")
    text = f"{value:.2g}" if abs(value) >= 1 else f"{value:.2f}"
    return text.rstrip("0").rstrip(".").replace("0.", ".", 1) if "." in text else text


def _write_names(
    axes: Axes,
    picture: Heatmaps,
    names: Sequence[str],
    lefts: Sequence[float],
    span: tuple[list[float], float],
) -> None:
    tops, bottom = span
    for name, left in zip(names, lefts, strict=True):
        axes.text(left + _PANEL / 2, 0.16, name, ha="center", va="center", fontweight="bold")
        axes.text(left + _PANEL / 2, bottom + 0.32, picture.xlabel, ha="center", va="center")
        columns = len(numbers(picture.rows[-1].student[0]))
        for column in _ticks(columns):
            place = left + (column + 0.5) * _PANEL / columns
            axes.text(place, bottom + 0.11, str(column), ha="center", va="center", fontsize=8)
    for row, top in zip(picture.rows, tops, strict=True):
        height = _height(row)
        axes.text(0.14, top + height / 2, picture.ylabel, ha="center", va="center", rotation=90)
        for number in _ticks(len(row.student)):
            place = top + (number + 0.5) * height / len(row.student)
            axes.text(_LEFT - 0.06, place, str(number), ha="right", va="center", fontsize=8)
        if len(picture.rows) > 1:
            axes.text(_LEFT, top - 0.04, row.label, va="bottom", fontsize=8, fontstyle="italic")


def _ticks(count: int) -> range:
    return range(0, count, 1 if count <= 8 else 5 if count <= 40 else 10)


def shared_scale(rows: Sequence[HeatmapRow]) -> Scale:
    """One scale for the student's matrices and the expected ones: wide as these, and not much wider.

    One huge number of the student's would leave all others white.
    """
    own = _finite([row.student for row in rows])
    wanted = _finite([row.compared for row in rows if row.compared is not None])
    base = wanted if wanted.size else own
    if not base.size:
        return Scale(0.0, 1.0, "Reds")
    low, high = min(0.0, float(base.min())), float(base.max())
    reach = max(high - low, 1e-9)
    low = max(min(low, float(own.min(initial=low))), low - reach)
    high = min(max(high, float(own.max(initial=high))), high + reach)
    if low < -1e-9:
        return Scale(-max(-low, high), max(-low, high), "RdBu_r")
    return Scale(0.0, high or 1.0, "Reds")


def difference_scale(rows: Sequence[HeatmapRow]) -> Scale:
    """As far as the differences go, but no further than twice what is expected."""
    reach = 0.0
    for row in rows:
        if row.expected is not None:
            with np.errstate(invalid="ignore"):
                gaps = np.abs(array(row.student) - array(row.expected))
            reach = max(reach, float(gaps[np.isfinite(gaps)].max(initial=0.0)))
    wanted = _finite([row.compared for row in rows if row.compared is not None])
    most = 2 * float(np.abs(wanted).max(initial=0.0)) or 1.0
    reach = min(reach, most) or 1.0
    return Scale(-reach, reach, "PuOr_r")


def _finite(matrices: Sequence[Matrix]) -> Any:
    """All finite numbers, flat."""
    joined = np.concatenate([array(matrix).ravel() for matrix in matrices] or [np.zeros(0)])
    return joined[np.isfinite(joined)]


def array(matrix: Matrix) -> Any:
    return np.array([numbers(row) for row in matrix], dtype=float)


def _colour_bar(axes: Axes, scale: Scale, left: float, span: tuple[float, float]) -> None:
    steps, (top, bottom) = 24, span
    height, x = min(bottom - top, 1.6), left + 0.1
    cells = _rectangles(np.array([x, x + _BAR]), np.linspace(top, top + height, steps + 1))
    colours = scale.colours_of(np.linspace(scale.high, scale.low, steps))
    axes.add_collection(
        PolyCollection(cells, facecolors=colours, edgecolors=colours, linewidths=0.4, clip_on=False)
    )
    for value, place in ((scale.high, 0.0), ((scale.low + scale.high) / 2, 0.5), (scale.low, 1.0)):
        axes.text(x + _BAR + 0.05, top + place * height, f"{value + 0.0:.3g}", va="center", fontsize=8)
