"""`grade submit` as a whole: processes, files, and nothing of the folder or the environment that matters."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest

from grader.report.schema import report_json_schema

SUITE = """
    import pytest
    from grader.suite import require

    TOLERANCES = {{}}

    @pytest.mark.points(12)
    def test_value(student):
        \"\"\"It gives what it should.\"\"\"
        require(student.{stem}(3) == {value}, "Wrong.")

    @pytest.mark.points(8)
    @pytest.mark.accelerator
    def test_again(student, reference, tensors, assert_close):
        \"\"\"It works for a tensor, where that is.\"\"\"
        X = tensors.randn(2, 3)
        assert_close(student.{stem}(X.clone()), reference.{stem}(X), like=X, tolerance=1e-5)
"""
RIGHT = {"one": "X + 1", "two": "X * 2", "three": "X - 3", "four": "4 * X", "five": "X + X + 5"}
LIMITS = {"import_cpu_s": 1, "call_cpu_s": 1, "wall_factor": 60}
VOLATILE = ("duration_s", "started_at")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, write_course: Any, exercise_type: Any) -> Path:
    """Five exercises of 20 points."""
    root: Path = tmp_path_factory.mktemp("pipeline") / "course"
    exercises = {
        stem: exercise_type(
            f"def {stem}(X): return {body}",
            hidden=SUITE.format(stem=stem, value=eval(body, {"X": 3})),
            points=20,
            stub=f"def {stem}(X):\n    raise NotImplementedError",
        )
        for stem, body in RIGHT.items()
    }
    write_course(root, LIMITS, exercises)
    return root


def grade(course: Path, cwd: Path, *arguments: str, **variables: str) -> tuple[int, Any, str]:
    """`grade submit` in a process of its own: exit code, JSON, and what it said."""
    command = [str(Path(sys.executable).parent / "grade"), "submit", *arguments]
    command += ["--assignment", str(course), "--seed", "3", "-o", "-"]
    ended = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    found = json.loads(ended.stdout) if ended.stdout else None
    if found is not None:
        jsonschema.validate(found, report_json_schema())
    return ended.returncode, found, ended.stderr


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
    return folder


def right_files(*stems: str) -> dict[str, str]:
    return {f"{stem}.py": f"def {stem}(X): return {RIGHT[stem]}\n" for stem in stems or RIGHT}


def scores(report: Any) -> dict[str, float]:
    return {exercise["stem"]: exercise["score"] for exercise in report["exercises"]}


def outcomes(report: Any) -> dict[str, list[str]]:
    return {
        exercise["stem"]: [check["outcome"] for check in exercise["checks"]]
        for exercise in report["exercises"]
    }


def timeless(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: timeless(value) for key, value in part.items() if key not in VOLATILE}
    return [timeless(value) for value in part] if isinstance(part, list) else part


def test_four_bad_files_do_not_harm_the_fifth(course: Path, tmp_path: Path) -> None:
    bad = {
        "one.py": "def one(X):\n    while True:\n        pass\n",
        "two.py": "import ctypes\ndef two(X): return ctypes.string_at(0)\n",
        "three.py": "import os\ndef three(X): os._exit(0)\n",
        "four.py": "def four(X) return {\n",
    }
    home = write(tmp_path / "home", {**bad, **right_files("five")})
    work = tmp_path / "work"
    work.mkdir()
    began = time.time()
    code, report, _ = grade(course, work, str(home))
    assert (code, report["status"]) == (0, "graded")
    assert scores(report) == {"one": 0, "two": 0, "three": 0, "four": 0, "five": 20}
    assert outcomes(report) == {
        "one": ["timed_out", "timed_out"],
        "two": ["crashed", "crashed"],
        "three": ["crashed", "crashed"],
        "four": ["raised", "raised"],
        "five": ["passed", "passed"],
    }
    # Nothing is left: no process, no file.
    assert _processes_that_began_after(began) == set()
    assert sorted(path.name for path in home.iterdir()) == [
        "five.py",
        "four.py",
        "one.py",
        "three.py",
        "two.py",
    ]
    assert list(work.iterdir()) == []


def _processes_that_began_after(began: float) -> set[str]:
    """Those that name the assignment of this test: judge hosts, judges; a template dies with its host."""
    found = set()
    for process in psutil.process_iter(["cmdline", "create_time"]):
        line = " ".join(process.info["cmdline"] or [])
        if process.info["create_time"] >= began and "pipeline" in line and "judge.host" in line:
            found.add(line)
    return found


def test_neither_folder_nor_environment_nor_plugins_change_anything(course: Path, tmp_path: Path) -> None:
    """Three runs with one seed, in a quiet place and in hostile ones, give one report."""
    plain = write(
        tmp_path / "plain" / "home", {**right_files("one", "two"), "three.py": "def three(X): return 1"}
    )
    evil = "import os\nopen(os.environ['EVIDENCE'], 'a').write(__name__ + '\\n')\nraise SystemExit(9)\n"
    hostile = write(
        tmp_path / "hostile" / "home",
        {**right_files("one", "two"), "three.py": "def three(X): return 1"},
    )
    names = (
        "conftest.py", "torch.py", "random.py", "json.py", "pytest.py", "sitecustomize.py",
        "usercustomize.py", "grader.py", "click.py", "box.py",
    )  # fmt: skip
    planted = dict.fromkeys(names, evil)
    settings = {
        "pytest.ini": "[pytest]\naddopts = --collect-only -k nothing\npython_functions = nothing\n",
        "tox.ini": "[pytest]\naddopts = --collect-only\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n",
    }
    write(hostile.parent, {**planted, **settings})
    plugins = write(
        tmp_path / "plugins",
        {
            "hostile_plugin.py": evil,
            "hostile_plugin-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: hostile-plugin\n",
            "hostile_plugin-1.0.dist-info/entry_points.txt": "[pytest11]\nhostile = hostile_plugin\n",
        },
    )
    evidence = {"EVIDENCE": str(tmp_path / "evidence")}
    runs = [
        grade(course, plain.parent, "home"),
        grade(course, hostile.parent, "home", PYTEST_ADDOPTS="--collect-only -x", **evidence),
        grade(
            course, hostile.parent, "home", PYTHONPATH=str(plugins), PYTEST_PLUGINS="hostile_plugin",
            PYTHONHASHSEED="5", PYTHONWARNINGS="error", **evidence,
        ),
    ]  # fmt: skip
    for code, report, errors in runs:
        assert code == 0, errors
        assert scores(report) == {"one": 20, "two": 20, "three": 0, "four": 0, "five": 0}
    assert not (tmp_path / "evidence").exists()
    first, second, third = (timeless(report) for _, report, _ in runs)
    assert first == second == third


def test_solutions_give_all_and_show_where_the_time_went(course: Path, tmp_path: Path) -> None:
    _, report, errors = grade(course, tmp_path, str(course / "solutions"), "-v")
    assert report["score"] == 100
    assert "Where the time went" in errors
    assert {
        check["devices"].get("pretend", "passed") for e in report["exercises"] for check in e["checks"]
    } == {"passed"}


def test_submission_that_brings_its_own_assignment_is_graded_by_ours(
    course: Path, tmp_path: Path, write_course: Any, exercise_type: Any
) -> None:
    home = write(tmp_path / "home", right_files("one"))
    free = "import pytest\n@pytest.mark.points(100)\ndef test_free(): pass\n"
    write_course(home, LIMITS, {"one": exercise_type("def one(X): return X", hidden=free, points=100)})
    command = [str(Path(sys.executable).parent / "grade"), "submit", ".", "-o", "-"]
    ended = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "No assignment found" in ended.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_grader_leaves_no_process_and_no_result(course: Path, tmp_path: Path, how: int) -> None:
    home = write(tmp_path / "home", {"one.py": "import time\ndef one(X): time.sleep(1000)"})
    command = [str(Path(sys.executable).parent / "grade"), "submit", "home", "--assignment", str(course)]
    grader = psutil.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    family = _wait_for_a_judge(grader)
    grader.send_signal(how)
    assert grader.wait(60) in (130, -signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=30)
    assert alive == []
    assert home.is_dir()
    assert not (tmp_path / "results.json").exists()


def _wait_for_a_judge(grader: psutil.Process) -> list[psutil.Process]:
    """All processes below the grader, once a worker runs: host, judge, template, worker."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        below = grader.children(recursive=True)
        hosts = [process for process in grader.children() if process.is_running()]
        if hosts and len(hosts[0].children()) >= 2 and len(below) >= 4:
            return below
        time.sleep(0.05)
    raise AssertionError("no judge was started")
