"""A small assignment about clipping and averaging goes through everything: no word about it is in `grader/`.

That it proves itself is tested in `test_verify.py`.
"""

from __future__ import annotations

import doctest
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.__main__ import main
from grader.authoring.notebook import make_notebook, text_path
from grader.catalog import read_assignment

RIGHT = 20


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    monkeypatch.chdir(tmp_path)


def test_a_class_of_three_is_graded(sample: Any, tmp_path: Path) -> None:
    handed = tmp_path / "class"
    shutil.copytree(
        sample.root / "solutions", handed / "ada", ignore=shutil.ignore_patterns("misconceptions")
    )
    shutil.copytree(sample.root / "exercises", handed / "bob", ignore=shutil.ignore_patterns("*.toml"))
    shutil.copytree(handed / "ada", handed / "eve")
    shutil.copy(
        sample.root / "tests/chaffs/moving_average/divides_by_window.py", handed / "eve/moving_average.py"
    )
    arguments = ["--layout", "folders", "--assignment", str(sample.root), "-o", "graded", "--jobs", "1"]
    assert main(["batch", str(handed), *arguments]) == 0
    files = (tmp_path / "graded" / "results").glob("*.json")
    reports = {path.stem: json.loads(path.read_text()) for path in files}
    assert {name: report["score"] for name, report in reports.items()} == {"ada": 20, "bob": 0, "eve": 10}
    (average,) = (one for one in reports["eve"]["exercises"] if one["stem"] == "moving_average")
    named = {check["diagnosis"]["misconception"] for check in average["checks"] if check.get("diagnosis")}
    assert named == {"divides_by_window"}


def test_one_submission_has_its_picture(sample: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    arguments = ["--assignment", str(sample.root), "-q", "-o", "results.json", "--html", str(page)]
    assert main(["submit", str(sample.root / "solutions"), *arguments]) == 0
    assert json.loads((tmp_path / "results.json").read_text())["score"] == RIGHT
    assert "Average over three steps" in page.read_text("utf-8")


def test_notebook_and_handout_are_made(sample: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ["--assignment", str(sample.root)]
    assert main(["notebook", *folder]) == 0
    assignment = read_assignment(sample.root)
    assert (sample.root / "exercises" / "sample.ipynb").read_text("utf-8") == make_notebook(assignment)
    for spec in assignment.exercises:
        names: dict[str, Any] = {"torch": torch}
        exec(assignment.reference(spec.stem).read_text(), names)
        path = text_path(assignment, spec.stem)
        example = doctest.DocTestParser().get_doctest(path.read_text("utf-8"), names, spec.stem, None, 0)
        assert example.examples
        assert doctest.DocTestRunner().run(example).failed == 0
    capsys.readouterr()
    assert main(["bundle", "handout", *folder, "-o", "handout.zip"]) == 0
    assert re.fullmatch(r"Wrote handout\.zip: \d+ files\.\n", capsys.readouterr().out)
