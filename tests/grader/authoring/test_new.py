"""`grade new`: all files of an exercise or none, and a proof that is refused until they are filled in."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from grader.__main__ import main
from grader.catalog import read_assignment

TOML = """\
# The course's own remarks.
id = "course"
title = "A course"

[[exercises]]  # the first
stem = "warm_up"
title = "Warm-up"
points = 5
symbols = ["warm_up", "cool_down"]

[limits]
call_cpu_s = 2  # generous
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "assignment.toml").write_text(TOML)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def test_all_files_are_written_and_comments_stay(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--title", 'A "quoted" gate', "--points", "7.5", "--track", "extension"]
    assert main(["new", "gate", *given, "--symbol", "Gate", "--symbol", "open_gate"]) == 0
    told = capsys.readouterr().out
    written = {path for path in files(course) if not path.endswith(".toml")}
    assert written == {
        "exercises/gate.py",
        "exercises/notebook/gate.md",
        "solutions/gate.py",
        "solutions/misconceptions/gate.py",
        "tests/public/test_gate.py",
        "tests/hidden/test_gate.py",
        "tests/wheats/gate/another_way.py",
        "tests/chaffs/gate/first_mistake.py",
    }
    assert all(path in told for path in written)
    toml = (course / "exercises" / "assignment.toml").read_text()
    assert toml.startswith(TOML.rstrip())
    spec = read_assignment(course).exercise("gate")
    assert (spec.title, spec.points, spec.track) == ('A "quoted" gate', 7.5, "extension")
    assert spec.symbols == ("Gate", "open_gate")
    for path in written - {"exercises/notebook/gate.md"}:
        text = (course / path).read_text()
        ast.parse(text)
        assert "TODO(author)" in text
        assert "@" not in text.replace("@pytest", "")
    assert "class Gate(nn.Module)" in (course / "exercises" / "gate.py").read_text()
    assert "student.Gate()(X.clone())" in (course / "tests" / "hidden" / "test_gate.py").read_text()


def test_the_first_exercise_of_a_course_and_windows_lines(course: Path) -> None:
    toml = course / "exercises" / "assignment.toml"
    toml.write_bytes(b'id = "course"\r\ntitle = "A course"\r\n')
    assert main(["new", "only_one"]) == 0
    assert toml.read_bytes().count(b"\n") == toml.read_bytes().count(b"\r\n") > 5
    (spec,) = read_assignment(course).exercises
    assert (spec.title, spec.points, spec.symbols) == ("Only one", 20, ("only_one",))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["warm_up"], "`warm_up` is an exercise of this assignment already"),
        (["other", "--symbol", "cool_down"], "`cool_down` is defined by the exercise `warm_up`"),
        (["../escape"], "must be a Python name"),
        (["class"], "must be a Python name"),
        (["torch"], "must not be the name of a library's module"),
        (["other", "--points", "0"], "`points` must be a positive number"),
        (["other", "--points", "nan"], "finite number"),
        (["other", "--symbol", "two words"], "`symbols` must be a list of Python names"),
        (["other", "--title", "bell\a"], "cannot be shown"),
        (["other", "--track", "cor"], "Did you mean `core`?"),
        (["taken"], "`tests/hidden/test_taken.py` is there already"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_added_writes_nothing(
    course: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "tests" / "hidden").mkdir(parents=True)
    (course / "tests" / "hidden" / "test_taken.py").write_text("# somebody's work\n")
    before = files(course)
    assert main(["new", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert files(course) == before


def test_a_file_that_cannot_be_written_leaves_nothing_behind(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "tests").mkdir()
    (course / "tests" / "chaffs").write_text("in the way of a folder")
    before = files(course)
    assert main(["new", "gate"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert files(course) == before
    assert not (course / "solutions").exists()


def test_verify_refuses_what_is_not_filled_in(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "gate"]) == 0
    capsys.readouterr()
    assert main(["verify", "--exercise", "gate", "--quick", "--json"]) == 1
    problems = json.loads(capsys.readouterr().out)["problems"]
    todo = {problem["path"]: problem for problem in problems if "TODO(author)" in problem["message"]}
    assert set(todo) == {path for path in files(course) if "gate" in path and "pycache" not in path}
    assert todo["solutions/gate.py"]["advice"] == "A right answer."
    assert any("The reference earns 0 of 20" in problem["message"] for problem in problems)
