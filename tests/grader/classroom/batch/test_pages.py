"""A student's page for every result of a class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import grader.report.html


@pytest.fixture(autouse=True)
def class_of_three(students: Any, pretence: Any) -> None:
    students.hand_in("ada")
    students.hand_in("ben", double="# wrong <script>\ndef double(x): return x\n")
    (students.path / "cem").mkdir()


def pages(out: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted((out / "feedback").glob("*"))}


def test_every_result_has_its_students_page(batch: Any, out: Path) -> None:
    assert batch().code == 0
    made = pages(out)
    assert list(made) == ["ada", "ben", "cem"]
    assert "6 / 6 points" in made["ada"]
    assert "3 / 6 points" in made["ben"]
    assert "off by one. Count again." in made["ben"]
    assert "# wrong &lt;script&gt;" in made["ben"]
    assert "Not accepted: 0 / 6" in made["cem"]
    assert not [name for name, page in made.items() if "seed" in page.lower() or "isolation" in page.lower()]


def test_page_of_a_new_result_is_new(batch: Any, students: Any, out: Path) -> None:
    batch()
    before = pages(out)
    students.hand_in("ben")
    batch()
    after = pages(out)
    assert "6 / 6 points" in after["ben"]
    assert (after["ada"], after["cem"]) == (before["ada"], before["cem"])


def test_missing_page_is_made_again_without_grading(batch: Any, pretence: Any, out: Path) -> None:
    batch()
    before = pages(out)
    (out / "feedback" / "ben.html").unlink()
    pretence.judged.clear()
    batch()
    assert pretence.judged == []
    assert pages(out) == before


def test_without_pages_none_is_made_and_none_that_is_stale_stays(
    batch: Any, students: Any, out: Path
) -> None:
    ended = batch("--no-html")
    assert not (out / "feedback").exists()
    assert "feedback" not in ended.out
    batch()
    students.hand_in("ben")
    batch("--no-html")
    assert list(pages(out)) == ["ada", "cem"]


def test_page_that_cannot_be_drawn_costs_nobody_a_grade(
    batch: Any, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> str:
        raise ValueError("no page")

    monkeypatch.setattr(grader.report.html, "render_page", fail)
    ended = batch()
    assert ended.scores == {"ada": 6.0, "ben": 3.0, "cem": 0.0}
    assert "No page for `ada`: ValueError: no page" in ended.err
    monkeypatch.undo()


def test_stopped_while_a_page_is_drawn_the_result_counts_and_the_page_comes_later(
    batch: Any, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*arguments: Any) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(grader.report.html, "render_page", stop)
        assert batch().code == 130
    assert not (out / "feedback").exists()
    batch()
    assert list(pages(out)) == ["ada", "ben", "cem"]
