from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.records import Identity
from grader.exports.classgrades import ExportError

NAMES = [
    "lovelaceada_501_88001_attention.py",
    "lovelaceada_LATE_501_88007_attention-1.py",
    "núñezobrien_502_88003_my_hw_3.tar.gz",
    "12_503_88005_a.py",
    "anon_ab12_88009_attention.py",
    "hopper_504_text.html",
]


def download(folder: Path) -> Path:
    path = folder / "submissions.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in NAMES:
            archive.writestr(name, "x")
    return path


def canvas_reads(name: str) -> tuple[str, str]:
    """User and attachment as Canvas takes them from a name."""
    parts = [part for part in name.rsplit(".", 1)[0].split("_") if part != "LATE"]
    if parts[0] == "anon":
        return parts[1], parts[2]
    numbers = [part for part in parts if part.isdigit()]
    return numbers[0], numbers[1]


def test_names_are_those_that_canvas_gives_back(
    make: Any, make_class: Any, handed: Any, tmp_path: Path
) -> None:
    path = download(tmp_path)
    folder = make_class(
        handed("ada_501", Identity(lms_id="501")),
        handed("ana_502", Identity(lms_id="502"), None),
        handed("n_503", Identity(lms_id="503")),
        handed("anon_ab12", Identity()),
        paths=[path],
    )
    export = make("canvas-upload", folder)
    with zipfile.ZipFile(io.BytesIO(export.files[0].content)) as archive:
        names = archive.namelist()
        text = archive.read(names[0]).decode()
    assert names == ["lovelaceada_LATE_501_88007_feedback.txt", "anon_ab12_88009_feedback.txt"]
    assert [canvas_reads(name) for name in names] == [("501", "88007"), ("ab12", "88009")]
    assert "Score: 20 / 20" in text
    assert "SECRET-INPUT" not in text
    assert len(export.kept) == 2


def test_the_students_page_goes_where_there_is_one(
    make: Any, make_class: Any, handed: Any, tmp_path: Path
) -> None:
    path = download(tmp_path)
    folder = make_class(handed("ada_501", Identity(lms_id="501")))
    (folder / "feedback").mkdir()
    (folder / "feedback" / "ada_501.html").write_text("<p>page</p>")
    export = make("canvas-upload", folder, into=path)
    with zipfile.ZipFile(io.BytesIO(export.files[0].content)) as archive:
        assert archive.read("lovelaceada_LATE_501_88007_feedback.html") == b"<p>page</p>"


def test_a_download_of_another_kind_is_refused(
    make: Any, make_class: Any, handed: Any, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.py").write_text("")
    with pytest.raises(ExportError, match="that Canvas gives"):
        make("canvas-upload", make_class(handed("a", Identity())), into=tmp_path / "other")
