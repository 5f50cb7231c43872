"""The Gradescope bundle, built and run as its platform does: as root, in its folders, without namespaces."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grader.__main__ import main
from grader.bundles.tree import BundleError, as_zip, bundle_names, load_bundle
from grader.catalog import Assignment

as_root = pytest.mark.skipif(os.getuid() != 0, reason="Gradescope runs the autograder as root")


@as_root
@pytest.mark.parametrize(("factor", "score"), [("2", 2), ("3", 0)])
def test_right_and_wrong_code_get_their_points(factor: str, score: int, attempt: Any) -> None:
    trial = attempt("gradescope", f"def double(x):\n    return x * {factor}\n")
    assert "without namespaces" in trial.output
    document = json.loads(trial.document)
    assert document["score"] == score
    assert document["extra_data"]["grade"]["status"] == "graded"


@as_root
def test_hostile_code_reads_no_source_and_changes_no_result(attempt: Any, hostile: Any, root: Path) -> None:
    results = [root / "autograder" / "results" / name for name in ("results.json", "stdout")]
    document = json.loads(attempt("gradescope", hostile(*results)).document)
    assert document["score"] == 0
    assert "Your code raises an error." in json.dumps(document)
    assert not (root / "autograder" / "results" / "stdout").exists()
    assert (root / "autograder").stat().st_mode & 0o777 == 0o711
    for name in ("source", "results", "submission"):
        assert (root / "autograder" / name).stat().st_mode & 0o777 == 0o700


def test_scripts_lie_at_the_root_with_unix_line_ends(course: Assignment) -> None:
    bundle = load_bundle("gradescope")
    content = as_zip(bundle.files(course))
    assert content == as_zip(bundle.files(course))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in ("setup.sh", "run_autograder"):
            assert archive.getinfo(name).external_attr >> 16 & 0o111
            assert archive.read(name).startswith(b"#!/usr/bin/env bash\n")
            assert b"\r" not in archive.read(name)
        names = set(archive.namelist())
        pins = archive.read("requirements.txt").decode().splitlines()
    assert {"course/exercises/assignment.toml", "course/solutions/double.py"} <= names
    assert "course/tests/hidden/test_double.py" in names
    assert not any("__pycache__" in name for name in names)
    assert all(pin.count("==") == 1 for pin in pins)
    assert any(pin.startswith("torch==") for pin in pins)


def test_a_handout_is_no_bundle(build: Any, exercise_type: Any) -> None:
    with pytest.raises(BundleError, match="no hidden suites"):
        load_bundle("gradescope").files(build(double=exercise_type(reference="", public="def test_x(): ...")))


def test_command_writes_the_zip(
    course: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bundle", "gradescope", "--assignment", str(course.root)]) == 0
    assert zipfile.is_zipfile(tmp_path / "autograder.zip")
    assert main(["bundle", "gradescop"]) == 2
    assert "Did you mean `gradescope`?" in capsys.readouterr().err


def test_every_bundle_is_documented() -> None:
    docs = Path(__file__).parents[3] / "docs" / "lms"
    for name in bundle_names():
        assert f"grade bundle {name}" in (docs / f"{name}.md").read_text()
