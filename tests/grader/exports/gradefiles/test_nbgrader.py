from __future__ import annotations

import importlib.util
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.records import Identity
from grader.exports.classgrades import ExportError

IS_INSTALLED = importlib.util.find_spec("nbgrader") is not None


@pytest.mark.skipif(IS_INSTALLED, reason="nbgrader is installed")
def test_without_nbgrader_it_says_what_to_install(make: Any, make_class: Any, handed: Any) -> None:
    with pytest.raises(ExportError, match="nbgrader is not installed") as caught:
        make("nbgrader", make_class(handed("ada", Identity(login="ada"))))
    assert "pip install nbgrader" in caught.value.hint


@pytest.mark.skipif(not IS_INSTALLED, reason="nbgrader is not installed")
@pytest.mark.filterwarnings("ignore")
def test_its_own_api_reads_the_scores_back(make: Any, make_class: Any, handed: Any, tmp_path: Path) -> None:
    from nbgrader.api import Gradebook

    folder = make_class(
        handed("ada", Identity(login="ada", name="Ada Lovelace"), 17.5),
        handed("bob", Identity(login="bob"), None),
    )
    export = make("nbgrader", folder)
    path = tmp_path / "gradebook.db"
    path.write_bytes(export.files[0].content)
    with Gradebook(f"sqlite:///{path}") as book:
        assert book.find_submission("attention", "ada").score == 17.5
        assert book.find_submission("attention", "ada").max_score == 20
        assert [student.id for student in book.students] == ["ada"]
        assert not book.find_submission("attention", "ada").needs_manual_grade
    # Filled again it is the same, and a student that it does not have is listed.
    again = make("nbgrader", folder, into=path)
    assert (again.same, again.changes) == (1, ())
    assert [student.submission for student, _ in again.matching.students_left] == ["bob"]


@pytest.mark.skipif(not IS_INSTALLED, reason="nbgrader is not installed")
@pytest.mark.filterwarnings("ignore")
def test_an_assignment_of_nbgraders_own_is_not_changed(
    make: Any, make_class: Any, handed: Any, tmp_path: Path
) -> None:
    from nbgrader.api import Gradebook

    path = tmp_path / "gradebook.db"
    with Gradebook(f"sqlite:///{path}") as book:
        book.add_assignment("attention")
        book.add_notebook("hw1", "attention")
    with pytest.raises(ExportError, match="notebooks of its own"):
        make("nbgrader", make_class(handed("ada", Identity(login="ada"))), into=path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("select count(*) from notebook").fetchone() == (1,)
