"""The wheel in an environment of its own: it holds what it needs, no staff part, and `grade` works there."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_string
from pathlib import Path

import pytest

from grader.bundles.tree import load_bundle, unpack
from grader.catalog import read_assignment

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel as pip builds it from the repository."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def files_of(wheel: zipfile.ZipFile) -> dict[str, bytes]:
    return {name: wheel.read(name) for name in wheel.namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_the_grader_whole_and_nothing_of_staff(built: zipfile.ZipFile) -> None:
    source = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "grader").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert set(files_of(built)) == source
    assert {"grader/py.typed", "grader/authoring/templates/stub.txt"} <= source
    assert {path.partition("/")[0] for path in source} == {"grader"}
    handed = load_bundle("handout").files(read_assignment(ROOT))
    (ours,) = (file.content for file in handed if file.path.endswith(".whl"))
    assert files_of(zipfile.ZipFile(io.BytesIO(ours))) == files_of(built)


def test_what_it_says_of_python_and_torch(built: zipfile.ZipFile) -> None:
    (name,) = (name for name in built.namelist() if name.endswith("/METADATA"))
    said = message_from_string(built.read(name).decode())
    assert said["Requires-Python"] == ">=3.10"
    assert "torch>=2.6" in said.get_all("Requires-Dist", [])
    classifiers = said.get_all("Classifier", [])
    stated = [text.rpartition(" ")[2] for text in classifiers if re.search(r"Python :: 3\.\d+$", text)]
    assert stated == list(VERSIONS)


@dataclass(frozen=True)
class Newcomer:
    """A student with the handout in a folder, and its wheel in an environment of its own."""

    folder: Path
    programs: Path

    def run(self, *command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("GRADE_", "PYTHON"))
        }
        return subprocess.run(
            [str(self.programs / command[0]), *command[1:]], cwd=folder or self.folder, env=kept,
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    """The packages that the grader needs are this environment's: they are not downloaded again."""
    root = tmp_path_factory.mktemp("newcomer")
    files = load_bundle("handout").files(read_assignment(ROOT))
    unpack(files, root)
    environment = root / "environment"
    venv.create(environment, with_pip=False)
    programs = environment / "bin"
    (wheel,) = (root / "attention").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install"]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *quiet], check=True, capture_output=True)
    packages = next((environment / "lib").glob("python*/site-packages"))
    # Its path files are not read, so what is installed for editing there stays out of sight.
    borrowed = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (packages / "borrowed.pth").write_text("\n".join(borrowed))
    return Newcomer(root / "attention", programs)


Solve = Callable[[str], None]


@pytest.fixture
def solve(newcomer: Newcomer) -> Solve:
    def write(stem: str) -> None:
        reference = read_assignment(ROOT).reference(stem).read_text()
        (newcomer.folder / "exercises" / f"{stem}.py").write_text(reference)

    return write


def test_the_installed_grader_is_the_one_that_runs(newcomer: Newcomer) -> None:
    ended = newcomer.run("python", "-c", "import grader; print(grader.__file__)")
    assert Path(ended.stdout.strip()).is_relative_to(newcomer.programs.parent)
    assert newcomer.run("grade", "--version").stdout.startswith("grade ")


def test_check_and_submit_work_on_the_handout(newcomer: Newcomer, solve: Solve, tmp_path: Path) -> None:
    solve("masked_softmax")
    checked = newcomer.run("grade", "check", "exercises/")
    assert "Traceback" not in checked.stderr + checked.stdout
    assert "Masked softmax" in checked.stdout
    arguments = ["--assignment", str(newcomer.folder), "--exercise", "masked_softmax", "-o", "-"]
    ended = newcomer.run("grade", "submit", str(newcomer.folder / "exercises"), *arguments, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["status"] == "practice"
    assert [exercise["status"] for exercise in report["exercises"]] == ["passed"]
    assert "Practice" in ended.stderr
