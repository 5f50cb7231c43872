"""What was handed in is shown as it lies there now, and compared with what was graded."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from grader.review.desk import Desk
from grader.review.desk_records import NoSuchSubmission


def _states(desk: Desk, submission: str) -> dict[str, str]:
    return {file.path: file.state for file in desk.source_files(submission).files}


def test_files_with_their_lines_and_exercises(desk: Desk) -> None:
    sources = desk.source_files("ben")
    first = sources.files[0]
    assert (first.path, first.stems, first.state) == ("double.py", ("double",), "same")
    assert first.lines[:2] == ("# squares", "def double(x):")
    assert (sources.problem, sources.is_changed) == ("", False)


def test_changed_new_and_gone_files_are_told(desk: Desk, graded: Any) -> None:
    folder = graded.input / "ben"
    (folder / "double.py").write_text("def double(x):\n    return 2 * x\n")
    (folder / "triple.py").unlink()
    (folder / "more.py").write_text("x = 1\n")
    assert _states(desk, "ben") == {"double.py": "changed", "triple.py": "gone", "more.py": "new"}
    assert desk.source_files("ben").is_changed
    assert _states(desk, "cem") == {"double.py": "same", "triple.py": "same"}


def test_file_that_cannot_be_parsed_is_shown_as_text(made: Callable[..., Any]) -> None:
    one = made()
    one.hand_in("ben", double="def double(x:\n\treturn \x00 oops\n")
    one.grade()
    files = {file.path: file for file in one.desk().source_files("ben").files}
    assert "oops" in files["double.py"].text
    assert files["double.py"].state == "same"


def test_input_that_is_gone(desk: Desk, graded: Any) -> None:
    shutil.rmtree(graded.input)
    sources = desk.source_files("ben")
    assert [file.state for file in sources.files] == ["gone", "gone"]
    assert "class" in sources.problem


def test_submission_that_is_gone(desk: Desk, graded: Any) -> None:
    shutil.rmtree(graded.input / "ben")
    assert desk.source_files("ben").problem == "The submission is no longer where it was handed in."
    assert _states(desk, "ben") == {"double.py": "gone", "triple.py": "gone"}
    assert desk.download("ben") == ()


def test_assignment_that_is_gone(desk: Desk, graded: Any) -> None:
    shutil.rmtree(graded.course)
    assert desk.source_files("ben").problem
    assert desk.listing().total == 7


def test_notebook_is_shown_as_its_code_with_cells(made: Callable[..., Any]) -> None:
    one = made()
    folder = one.hand_in("ben")
    for path in folder.iterdir():
        path.unlink()
    cells = ["x = 1", "def double(x):\n    return 2 * x", "def triple(x):\n    return 3 * x"]
    book = {
        "nbformat": 4, "nbformat_minor": 4, "metadata": {},
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell}
            for cell in cells
        ],
    }  # fmt: skip
    (folder / "work.ipynb").write_text(json.dumps(book))
    (file,) = _sources_of_notebook(one)
    assert (file.path, set(file.stems)) == ("work.ipynb", {"double", "triple"})
    line = file.lines.index("def triple(x):") + 1
    assert (file.places[line].cell, file.places[line].line) == (3, 1)


def _sources_of_notebook(one: Any) -> Any:
    """The made report reads files by name, so that it is told of two that are not there."""
    for name in ("double", "triple"):
        (one.input / "ben" / f"{name}.py").write_text("")
    one.grade()
    for name in ("double", "triple"):
        (one.input / "ben" / f"{name}.py").unlink()
    return [file for file in one.desk().source_files("ben").files if file.path == "work.ipynb"]


def test_zip_of_a_class_that_is_replaced_is_read_anew(made: Callable[..., Any]) -> None:
    one = made()
    one.hand_in("ada")
    one.hand_in("ben")
    one.grade()
    archive = one.root / "class.zip"
    settings = one.out / "batch.json"
    settings.write_text(settings.read_text().replace(str(one.input), str(archive)))
    desk = None
    for order in (("ada", "ben"), ("ben", "ada")):
        with zipfile.ZipFile(archive, "w") as file:
            for name in order:
                for path in sorted((one.input / name).iterdir()):
                    file.writestr(f"{name}/{path.name}", f"# {name} {order}\n{path.read_text()}")
        desk = desk or one.desk()
        assert desk.source_files("ada").files[0].text.startswith(f"# ada {order}")
        assert _states(desk, "ada")["double.py"] == "changed"


def test_download_is_what_was_handed_in(desk: Desk, graded: Any) -> None:
    files = {file.name: file.content for file in desk.download("gus")}
    assert files == {path.name: path.read_bytes() for path in (graded.input / "gus").iterdir()}
    with pytest.raises(NoSuchSubmission):
        desk.download("nobody")
