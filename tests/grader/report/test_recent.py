"""What was made lately is kept within bounds, whatever it is and however much of it there was."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn

import pytest

from grader.pictures import HeatmapRow, Heatmaps, Picture
from grader.records import SourceText
from grader.report import code, pictures, pictures_drawing
from grader.report.recent import Recent


def never() -> NoReturn:
    raise AssertionError("it is kept, and need not be made")


def test_what_is_kept_is_not_made_again() -> None:
    recent = Recent(10_000, len)
    assert recent.get("a", lambda: "made") == "made"
    assert recent.get("a", never) == "made"
    assert recent.get("b", lambda: "other") == "other"


def test_what_is_kept_has_a_bound_in_bytes_and_not_in_number() -> None:
    recent = Recent(10_000, len)
    for number in range(1000):
        recent.get(f"{number}", lambda: "x" * 1000)
        assert recent.bytes <= recent.max_bytes
    few = len(recent)
    for number in range(1000):
        recent.get(f"{number}", lambda: "x")
        assert recent.bytes <= recent.max_bytes
    assert 1 < few < len(recent) < 100


def test_the_one_not_asked_for_longest_goes_first() -> None:
    recent = Recent(5000, len)
    for name in ("often", "b", "c", "d", "e", "f"):
        recent.get(name, lambda: "x" * 1000)
        recent.get("often", never)
    assert recent.get("b", lambda: "made again") == "made again"


def test_what_is_too_large_is_given_and_not_kept() -> None:
    recent = Recent(5000, len)
    recent.get("small", lambda: "x")
    assert recent.get("large", lambda: "x" * 5000) == "x" * 5000
    assert recent.get("large", lambda: "again") == "again"
    assert recent.get("small", never) == "x"


def test_what_cannot_be_made_leaves_nothing_behind() -> None:
    recent = Recent(5000, len)
    with pytest.raises(AssertionError):
        recent.get("a", never)
    assert (recent.get("a", lambda: "made"), len(recent)) == ("made", 1)


def test_broken_letters_are_a_text_like_any_other() -> None:
    recent = Recent(5000, len)
    assert recent.get("\ud800", lambda: "made") == recent.get("\ud800", never)


def test_threads_get_what_belongs_to_their_text() -> None:
    recent = Recent(3000, len)
    names = [f"{number % 7}" for number in range(700)]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda name: recent.get(name, lambda: name * 500), names))
    assert made == [name * 500 for name in names]
    assert recent.bytes <= recent.max_bytes


def _picture(number: int) -> Picture:
    return Heatmaps(f"Weights {number}", "Alt.", (HeatmapRow("row", ("0.25 0.75",)),))


def test_a_picture_that_many_need_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def count(picture: Picture, name: str, description: str) -> str:
        drawn.append(name)
        return f"<svg>{name}é</svg>"

    monkeypatch.setattr(pictures_drawing, "draw_svg", count)
    first = [pictures.draw(_picture(-number)) for number in range(1, 4)]
    assert [pictures.draw(_picture(-number)) for number in range(1, 4)] == first
    assert len(drawn) == len(set(drawn)) == 3


def test_pictures_and_sources_of_any_number_of_students_are_kept_within_their_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pictures, "_packed", packed := Recent(20_000, len))
    monkeypatch.setattr(pictures_drawing, "draw_svg", lambda picture, name, description: name * 1000)
    monkeypatch.setattr(code, "_highlighted", highlighted := Recent(20_000, code._size_of))
    for number in range(300):
        pictures.draw(_picture(number))
        code.whole(SourceText("alpha", "alpha.py", f"x = {number}\n" * 20))
    assert 0 < packed.bytes <= 20_000
    assert 0 < highlighted.bytes <= 20_000


def test_a_long_source_is_not_kept() -> None:
    text = "'" + "x" * (2 * code.MAX_KEPT_BYTES) + "'\n" + "y = 1\n" * 40_000
    before = code._highlighted.bytes
    assert code.whole(SourceText("alpha", "alpha.py", text)).note
    assert code._highlighted.bytes == before
