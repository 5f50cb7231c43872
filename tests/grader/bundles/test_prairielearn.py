"""The PrairieLearn question, run by its own entry point in `/grade` of a scratch folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from grader.bundles.tree import load_bundle
from grader.catalog import Assignment

as_root = pytest.mark.skipif(os.getuid() != 0, reason="PrairieLearn runs the grader as root")


@as_root
@pytest.mark.parametrize(("factor", "score"), [("2", 1), ("3", 0)])
def test_right_and_wrong_code_get_their_share(factor: str, score: int, attempt: Any) -> None:
    trial = attempt("prairielearn", f"def double(x):\n    return x * {factor}\n")
    document = json.loads(trial.document)
    assert trial.exit_code == 0
    assert document["gradable"] is True
    assert document["score"] == score


@as_root
def test_hostile_code_reads_no_source_and_changes_no_result(attempt: Any, hostile: Any, root: Path) -> None:
    results = root / "grade" / "results"
    trial = attempt("prairielearn", hostile(results / "results.json", results / "other.json"))
    assert json.loads(trial.document)["score"] == 0
    assert [path.name for path in results.iterdir()] == ["results.json"]
    for name in ("data", "results", "student", "tests"):
        assert (root / "grade" / name).stat().st_mode & 0o777 == 0o700


@as_root
def test_a_grader_that_fails_is_not_gradable_and_the_results_are_kept(
    course: Assignment, attempt: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (course.root / "tests" / "hidden" / "test_double.py").write_text("this is no Python\n")
    trial = attempt("prairielearn", "def double(x):\n    return x * 2\n")
    document = json.loads(trial.document)
    assert trial.exit_code == 0
    assert document["gradable"] is False
    assert "score" not in document


def test_question_names_its_image_and_files(course: Assignment) -> None:
    bundle = load_bundle("prairielearn")
    files = {file.path: file for file in bundle.files(course, {"image": "registry.example.edu/grader:1"})}
    info = json.loads(files["question/info.json"].content)
    options = info["externalGradingOptions"]
    assert info["gradingMethod"] == "External"
    assert info["uuid"] == json.loads(bundle.files(course)[0].content)["uuid"]
    assert options["image"] == "registry.example.edu/grader:1"
    assert options["entrypoint"] == "/grade/tests/run.sh"
    assert 0 < options["timeout"] <= 600
    assert options["enableNetworking"] is False
    assert 'file-names="double.py"' in files["question/question.html"].content.decode()
    assert files["question/tests/run.sh"].is_executable
    assert "question/tests/course/tests/hidden/test_double.py" in files
    assert {"image/Dockerfile", "image/requirements.txt", "image/src/grader/__main__.py"} <= set(files)
    assert not any(b"SECRET-REFERENCE" in file.content for path, file in files.items() if "image/" in path)
