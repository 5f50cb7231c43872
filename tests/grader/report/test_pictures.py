"""Pictures as SVG."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from xml.etree import ElementTree

import pytest

from grader.pictures import Curve, Curves, HeatmapRow, Heatmaps, Picture, picture_from_json
from grader.report.pictures import draw, figure

SMALL = Heatmaps("Weights", "Alt <text>.", (HeatmapRow("row", ("0.25 0.75",), ("0.5 0.5",), ("01",)),), "So.")
ODD = Heatmaps("Odd", "Alt.", (HeatmapRow("row", ("nan inf", "-inf 1e300"), ("0 1", "1 0")),))
ALONE = Heatmaps("Alone", "Alt.", (HeatmapRow("a", ("1 2",)), HeatmapRow("b", ("-3 4",))))
LARGE = Heatmaps("Large", "Alt.", (HeatmapRow("row", (" ".join(map(str, range(-30, 30))),) * 30),))
LINES = Curves(
    "Lines", "Alt.",
    (
        Curve("given", "0 1 2", "0 1 2", "given"),
        Curve("truth", "0 1 2", "0 1 4", "truth"),
        Curve("mine", "0 1 2", "0 nan 1e20", group="a"),
        Curve("mine, expected", "0 1 2", "0 1 3", "expected", "a"),
    ),
    counts=True,
)  # fmt: skip
EXTREME = Curves(
    "Extreme", "Alt.",
    (Curve("mine", "0 1 2", "1.7e308 -1.7e308 0"), Curve("flat", "0 1", "-1.7e308 -1.7e308")),
)  # fmt: skip
NOTHING = Curves("Nothing finite", "Alt.", (Curve("mine", "0 1", "nan inf"),))


@pytest.mark.parametrize("picture", [SMALL, ODD, ALONE, LARGE, LINES, NOTHING], ids=lambda one: one.title)
def test_every_picture_is_one_labelled_svg(picture: Picture) -> None:
    markup = draw(picture)
    svg = ElementTree.fromstring(markup)
    assert svg.tag == "svg"
    assert svg.get("role") == "img"
    assert [child.text for child in svg[:2]] == [picture.title, f"{picture.alt} {picture.summary}".strip()]
    assert (svg.get("aria-labelledby") or "").split() == [svg[0].get("id"), svg[1].get("id")]
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]*)', markup))
    ids = re.findall(r' id="([^"]*)"', markup)
    assert used <= set(ids)
    assert len(ids) == len(set(ids)) == len(used) + 2
    assert not re.search(r"<style| style=|https?:|<metadata|<script", markup)
    assert "currentColor" in markup
    assert len(markup) < 60_000


def test_ids_of_pictures_on_one_page_never_clash() -> None:
    others = [SMALL, replace(SMALL, title="Other"), LINES, LARGE]
    ids = [one for picture in others for one in re.findall(r' id="([^"]*)"', draw(picture))]
    assert len(ids) == len(set(ids))


def test_student_and_expected_share_one_scale_and_one_huge_number_hides_nothing() -> None:
    from grader.report.pictures_heatmaps import difference_scale, shared_scale

    rows = (HeatmapRow("row", ("0.2 1e30",), ("0.2 0.8",)),)
    assert shared_scale(rows)[:2] == (0.0, 1.6)
    assert difference_scale(rows)[:2] == (-1.6, 1.6)
    own = HeatmapRow("row", ("-0.5 0.8",), ("0.2 0.8",))
    assert shared_scale((own,))[:2] == (-0.8, 0.8)


def test_threads_draw_the_same() -> None:
    pictures = [replace(SMALL, title=f"Weights {n % 3}") for n in range(12)]
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(draw, pictures))
    assert drawn[:3] == drawn[3:6] == drawn[6:9] == drawn[9:]
    assert len(set(drawn)) == 3


def test_figure_says_what_there_is_to_see() -> None:
    markup = figure(replace(SMALL, title="A <b>"))
    assert "<b>A &lt;b&gt;</b>" in markup
    assert "So. Cells with a stroke are masked" in markup


@pytest.mark.parametrize("picture", [SMALL, LINES])
def test_json_brings_a_picture_back(picture: Picture) -> None:
    assert picture_from_json(asdict(picture)) == picture


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (lambda: HeatmapRow("a", ("1 2", "3")), "one length"),
        (lambda: HeatmapRow("a", ("1 <b>",)), "rows of numbers"),
        (lambda: HeatmapRow("a", ("1 2",), ("1 2 3",)), "differ in shape"),
        (lambda: HeatmapRow("a", ("1 2",), None, ("02",)), "0 and 1"),
        (lambda: HeatmapRow("a\x1b", ("1 2",)), "printable"),
        (lambda: HeatmapRow("a", (" ".join(["1"] * 129),)), "more than 128"),
        (lambda: replace(SMALL, rows=SMALL.rows * 13), "1 to 12 parts"),
        (lambda: replace(LARGE, rows=LARGE.rows * 3), "at most 4000 numbers"),
        (lambda: Curve("a", "1 2", "1"), "as many x as y"),
    ],
)
def test_record_that_is_no_picture_is_refused(broken: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        broken()  # type: ignore[operator]


def test_numbers_that_no_axis_can_hold_cost_the_picture_only() -> None:
    assert ElementTree.fromstring(draw(EXTREME)).tag.endswith("svg")
