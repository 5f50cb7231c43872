"""What staff did on the review pages is in every file that leaves: the points that count, what was said."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.folder import BatchFolder
from grader.classroom.publishing import publish
from grader.classroom.records import Identity
from grader.review.desk import open_desk

ADA = Identity(
    name="Ada Lovelace",
    login="ada",
    lms_id="501",
    sis_id="001001",
    email="ada@example.edu",
    participant="90210",
)
SAID = "Close: <see> the mask."
PAGE = "<!doctype html><html><head><title>x</title></head><body><main><h1>Score</h1></main></body></html>"


@pytest.fixture
def reviewed(make_class: Any, handed: Any) -> Path:
    """Ada had 11 points; staff gave 17.5 and said something to her, and something to each other."""
    folder: Path = make_class(handed("ada_501", ADA, 11.0), handed("grace", Identity(login="grace"), None))
    with open_desk(folder) as desk:
        desk.override("ta", "ada_501", "alpha", 17.5, "A REASON FOR STAFF", 0, "alpha::test_values")
        desk.comment("ta", "ada_501", SAID, 1, path="alpha.py", line=3)
        desk.comment("ta", "ada_501", "STAFF ONLY", 2, staff_only=True)
        desk.comment("ta", "grace", "We look into it.", 3)
        withdrawn = desk.comment("ta", "ada_501", "WRONG", 4)
        desk.undo("ta", withdrawn.action.number, 5)
    return folder


def _check(text: str, said: str = SAID) -> None:
    assert "The grade that counts: 17.5 / 20 (changed by staff)" in text
    assert "Alpha: Values.: 17.5 / 20 instead of 11 / 20" in text
    assert f"`alpha.py` line 3: {said}" in text
    for secret in ("STAFF", "WRONG", "REASON", "SECRET-INPUT", "We look"):
        assert secret not in text


def test_plain_csv(reviewed: Path, make: Any) -> None:
    export = make("csv", reviewed, comments=True)
    ada, grace = csv.DictReader(io.StringIO(export.files[0].content.decode(), newline=""))
    assert (ada["score"], ada["remark"]) == ("17.5", "changed by staff")
    _check(ada["comment"])
    assert grace["score"] == ""
    without = make("csv", reviewed).files[0].content.decode()
    assert "comment" not in without.splitlines()[0]


@pytest.mark.parametrize(
    ("target", "into", "column"),
    [
        ("canvas", "canvas_gradebook.csv", "HW 3: Attention"),
        ("brightspace", "brightspace.csv", "HW 3"),
        ("blackboard", "blackboard.csv", None),
        ("moodle", "moodle_en.csv", None),
    ],
)
def test_grade_column(target: str, into: str, column: str, reviewed: Path, make: Any, sample: Any) -> None:
    export = make(target, reviewed, into=sample(into), column=column)
    line = next(one for one in export.files[0].content.decode().splitlines() if "ada" in one)
    assert "17.5" in line
    assert any("changed by staff" in change.who for change in export.changes)


@pytest.mark.parametrize(
    ("target", "into", "shown"),
    [
        ("blackboard", "blackboard.csv", SAID),
        ("moodle", "moodle_en.csv", "Close: &lt;see&gt; the mask."),
    ],
)
def test_comment_column(
    target: str, into: str, shown: str, reviewed: Path, make: Any, sample: Callable[[str], Path]
) -> None:
    export = make(target, reviewed, into=sample(into), comments=True)
    _check(export.files[0].content.decode(), shown)


def test_feedback_files_as_text_and_as_pages(reviewed: Path, make: Any, sample: Any) -> None:
    into = sample("moodle_en.csv")
    with zipfile.ZipFile(io.BytesIO(make("moodle", reviewed, into=into).files[1].content)) as archive:
        _check(archive.read(archive.namelist()[0]).decode())
    (reviewed / "feedback").mkdir()
    page = reviewed / "feedback" / "ada_501.html"
    page.write_text(PAGE)
    with zipfile.ZipFile(io.BytesIO(make("moodle", reviewed, into=into).files[1].content)) as archive:
        shown = archive.read(archive.namelist()[0]).decode()
    assert "Close: &lt;see&gt; the mask." in shown
    assert "The grade that counts: 17.5 / 20 (changed by staff)" in shown
    assert shown.index("17.5 / 20") < shown.index("<h1>Score</h1>")
    assert "STAFF" not in shown
    assert page.read_text() == PAGE


def test_pages_are_the_batchs_own_while_it_is_at_work(reviewed: Path) -> None:
    (reviewed / "feedback").mkdir()
    page = reviewed / "feedback" / "ada_501.html"
    with open_desk(reviewed) as desk:
        page.write_text(PAGE)
        with BatchFolder(reviewed).lock():
            acted = desk.comment("ta", "ada_501", "Meanwhile.", desk.version())
        assert (page.read_text(), acted.warning) == (PAGE, "")
        publish(desk.folder, desk.engine, desk.batch)  # as a batch ends
        assert "Meanwhile." in page.read_text()


def test_pages_in_the_folder_follow_what_staff_does(reviewed: Path) -> None:
    (reviewed / "feedback").mkdir()
    page = reviewed / "feedback" / "ada_501.html"
    page.write_text(PAGE)
    with open_desk(reviewed) as desk:
        assert "Close: &lt;see&gt; the mask." in page.read_text()
        more = desk.comment("ta", "ada_501", "<script>alert(1)</script>", desk.version())
        shown = page.read_text()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
        assert "<script" not in shown
        assert shown.count("<section") == 1
        desk.undo("ta", more.action.number, desk.version())
        for action in desk.history("ada_501"):
            if action.kind != "undo" and action.can_undo:
                desk.undo("ta", action.number, desk.version())
    assert page.read_text() == PAGE
