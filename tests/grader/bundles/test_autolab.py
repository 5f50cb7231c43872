"""The Autolab job: `make` in a folder with Makefile, tar and handin; its last line is the score."""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.bundles.tree import Trial, load_bundle
from grader.catalog import Assignment
from grader.exports.targets import SettingError


def scores_of(trial: Trial) -> Any:
    """What Autolab reads: the last line, after its habit of quoting every word before a colon."""
    assert trial.document is not None
    line = trial.document.rstrip().splitlines()[-1]
    return json.loads(re.sub(r'(\w+)(?<!"):', r'"\1":', line))["scores"]


@pytest.mark.parametrize(("factor", "score"), [("2", 2), ("3", 0)])
def test_right_and_wrong_code_get_their_points(factor: str, score: int, attempt: Any) -> None:
    trial = attempt("autolab", f"def double(x):\n    return x * {factor}\n")
    assert trial.exit_code == 0
    assert scores_of(trial) == {"double": score}


def test_hostile_code_reads_no_source_and_changes_no_result(attempt: Any, hostile: Any, root: Path) -> None:
    job = root / "home" / "autograde"
    trial = attempt("autolab", hostile(job / "autograde" / "result.txt", job / "x.txt"))
    assert scores_of(trial) == {"double": 0}
    assert not (job / "x.txt").exists()
    assert "SECRET" not in (trial.document or "")


@pytest.mark.parametrize("settings", [{}, {"problem": "Correct ness's"}])
def test_a_grader_that_fails_gives_no_zero(
    settings: dict[str, str], course: Assignment, attempt: Any
) -> None:
    (course.root / "exercises" / "assignment.toml").write_text("broken")
    trial = attempt("autolab", "def double(x):\n    return x * 2\n", **settings)
    assert trial.exit_code == 0
    assert scores_of(trial) == {settings.get("problem", "double"): None}
    assert "costs no points" in (trial.document or "")


def test_what_is_uploaded(course: Assignment) -> None:
    bundle = load_bundle("autolab")
    given = {"problem": "Correctness", "maximum": "100", "image": "torch"}
    files = {file.path: file.content for file in bundle.files(course, given)}
    assert all(
        line.startswith(("\t", ".SILENT", "all:"))
        for line in files["autograde-Makefile"].decode().splitlines()
    )
    with tarfile.open(fileobj=io.BytesIO(files["autograde.tar"])) as archive:
        names = archive.getnames()
        script = archive.extractfile("autograde/run.sh")
        assert script is not None
        assert b"--with problem=Correctness --with maximum=100" in script.read()
    assert "autograde/course/tests/hidden/test_double.py" in names
    assessment = yaml.safe_load(files["small.yml"])
    assert [(one["name"], one["max_score"]) for one in assessment["problems"]] == [("Correctness", 100)]
    assert assessment["autograder"]["autograde_image"] == "torch"
    assert b"autodriver" in files["image/Dockerfile"]
    plain = yaml.safe_load({file.path: file.content for file in bundle.files(course)}["small.yml"])
    assert [(one["name"], one["max_score"]) for one in plain["problems"]] == [("double", 2)]


def test_a_maximum_that_is_no_number_is_refused(course: Assignment) -> None:
    with pytest.raises(SettingError, match="above zero"):
        load_bundle("autolab").files(course, {"maximum": "nan"})
