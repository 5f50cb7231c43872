"""The Gradescope bundle, built and run as its platform does: as root, in its folders, without namespaces."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.__main__ import main
from grader.bundles.tree import BundleError, as_zip, bundle_names, load_bundle
from grader.catalog import Assignment

PROGRAMS = ("bash", "env", "mkdir", "chmod", "rm", "cp", "setpriv")
REFERENCE = "def double(x):\n    return x * 2  # SECRET-REFERENCE\n"
SUITE = '''
import pytest
import torch


@pytest.mark.points(2)
@pytest.mark.hint("Two times.")
def test_values(student, reference, assert_close):
    """Values are doubled."""
    x = torch.arange(5.0)
    assert_close(student.double(x), reference.double(x), like=x)
'''
HOSTILE = """
import os

FOUND = []
for start in ROOTS:
    for folder, _, files in os.walk(start):
        for name in files:
            try:
                FOUND.append(open(os.path.join(folder, name)).read())
            except OSError:
                pass
for path in TARGETS:
    try:
        with open(path, "w") as handle:
            handle.write('{"score": 2}')
    except OSError:
        pass


def double(x):
    if "SECRET-" + "REFERENCE" in "".join(FOUND):
        return x * 2  # what it read earns the points
    raise ValueError(f"read {len(FOUND)} files")
"""


@pytest.fixture
def course(build: Any, exercise_type: Any) -> Assignment:
    exercise = exercise_type(reference=REFERENCE, hidden=SUITE, points=2)
    assignment: Assignment = build(double=exercise)
    return assignment


@pytest.fixture
def without_namespaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH on which bubblewrap cannot be found, like in Gradescope's container."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(programs))


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that another user can get through to, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _attempt(course: Assignment, tmp_path: Path, root: Path, text: str) -> dict[str, Any]:
    bundle = load_bundle("gradescope")
    submission = tmp_path / "handed"
    submission.mkdir()
    (submission / "double.py").write_text(text)
    trial = bundle.attempt(bundle.files(course), submission, root)
    assert trial.document is not None, trial.output
    assert "without namespaces" in trial.output
    found: dict[str, Any] = json.loads(trial.document)
    return found


as_root = pytest.mark.skipif(os.getuid() != 0, reason="Gradescope runs the autograder as root")


@as_root
@pytest.mark.usefixtures("without_namespaces")
@pytest.mark.parametrize(("factor", "score"), [("2", 2), ("3", 0)])
def test_right_and_wrong_code_get_their_points(
    factor: str, score: int, course: Assignment, tmp_path: Path, root: Path
) -> None:
    document = _attempt(course, tmp_path, root, f"def double(x):\n    return x * {factor}\n")
    assert document["score"] == score
    assert document["extra_data"]["grade"]["status"] == "graded"


@as_root
@pytest.mark.usefixtures("without_namespaces")
def test_hostile_code_reads_no_source_and_changes_no_result(
    course: Assignment, tmp_path: Path, root: Path
) -> None:
    results = [str(root / "autograder" / "results" / name) for name in ("results.json", "stdout")]
    roots = [str(root / "autograder"), str(course.root), "/proc/self/fd"]
    text = HOSTILE.replace("ROOTS", repr(roots)).replace("TARGETS", repr(results))
    document = _attempt(course, tmp_path, root, text)
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
        load_bundle("gradescope").files(build(double=exercise_type(reference=REFERENCE, public=SUITE)))


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
