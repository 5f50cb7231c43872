"""A small course, a machine like a platform's container, and submissions that try to read and write."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.bundles.tree import Trial, load_bundle
from grader.catalog import Assignment

PROGRAMS = ("bash", "env", "mkdir", "chmod", "rm", "cp", "mv", "cat", "tar", "make", "setpriv")
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
PUBLIC = '''
import pytest
import torch


@pytest.mark.points(0)
def test_a_number(student, assert_close):
    """The double of 3 is 6."""
    x = torch.tensor(3.0)
    assert_close(student.double(x), torch.tensor(6.0), like=x)
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
    exercise = exercise_type(reference=REFERENCE, hidden=SUITE, public=PUBLIC, points=2)
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


@pytest.fixture
def attempt(course: Assignment, tmp_path: Path, root: Path, without_namespaces: None) -> Callable[..., Trial]:
    """`attempt(bundle, text, **settings)`: what comes of a submission `double.py` with this text."""

    def call(name: str, text: str, **settings: str) -> Trial:
        bundle = load_bundle(name)
        submission = tmp_path / "handed"
        submission.mkdir()
        (submission / "double.py").write_text(text)
        return bundle.attempt(bundle.files(course, settings), submission, root)

    return call


@pytest.fixture
def hostile(course: Assignment, root: Path) -> Callable[..., str]:
    """`hostile(*paths)`: code that reads all it can reach, and writes a result of its own to these paths."""

    def write(*results: Path) -> str:
        roots = [str(root), str(course.root), "/proc/self/fd"]
        return HOSTILE.replace("ROOTS", repr(roots)).replace("TARGETS", repr([str(path) for path in results]))

    return write
