"""Plain `pytest` in a handout, and nothing anywhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("PYTEST_", "GRADE_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *arguments],
        cwd=folder, capture_output=True, text=True, encoding="utf-8", env=kept, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(write_handout: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A handout with a wrong answer that prints, and an untouched stub."""
    assert callable(write_handout)
    written: Path = write_handout(tmp_path_factory.mktemp("plain") / "handout")
    text = "import os\n\ndef twice(X):\n    print('home:', os.environ['HOME'])\n    return 3 * X\n"
    (written / "exercises" / "twice.py").write_text(text, "utf-8")
    (written / "test_mine.py").write_text("def test_of_my_own():\n    assert 1 + 1 == 2\n", "utf-8")
    return written


@pytest.fixture(scope="module")
def ran(folder: Path) -> str:
    """What a plain `pytest` says there."""
    ended = run_pytest(folder)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return ended.stdout


def test_public_checks_and_the_students_own_tests_run_side_by_side(ran: str) -> None:
    assert "1 failed, 3 passed, 2 skipped" in ran
    assert "test_mine.py ." in ran


def test_failure_gives_the_reason_and_nothing_of_the_grader(ran: str) -> None:
    assert "Every number is doubled." in ran
    assert "expected:  [2.0, 4.0, 6.0]" in ran
    assert "There is a hint: `pytest -v` shows it." in ran
    assert "Add it to itself" not in ran
    assert "Traceback" not in ran
    assert "grader/" not in ran


def test_untouched_stub_is_skipped_in_a_sentence(ran: str) -> None:
    assert ran.count("not attempted: `fourfold` in `fourfold.py` line 1 is not written yet") == 1


def test_whoever_has_done_the_others_sees_green(handout: Path, right: Mapping[str, str]) -> None:
    (handout / "exercises" / "twice.py").write_text(right["twice"], "utf-8")
    ended = run_pytest(handout, "-rs")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "3 passed, 2 skipped" in ended.stdout
    assert "tests/public/test_fourfold.py" in ended.stdout.partition("short test summary")[2]


def test_code_runs_in_a_worker_and_what_it_prints_is_shown(ran: str) -> None:
    printed = ran.partition("Printed by your code")[2].splitlines()[1]
    assert printed == "home: /nonexistent"  # pytest's own process has another


def test_chosen_check_runs_alone_though_it_needs_another(folder: Path, right: Mapping[str, str]) -> None:
    (folder / "exercises" / "fourfold.py").write_text("def fourfold(X):\n    return 4 * X\n", "utf-8")
    ended = run_pytest(folder, "tests/public/test_fourfold.py", "-k", "nothing", "-q")
    assert "1 passed, 1 deselected" in ended.stdout, ended.stdout + ended.stderr


def test_collecting_starts_no_worker(folder: Path) -> None:
    ended = run_pytest(folder, "--collect-only", "-q", "tests")
    assert "tests/public/test_twice.py::test_keeps_the_shape[4]" in ended.stdout
    assert ended.returncode == 0


def test_elsewhere_nothing_is_imported(tmp_path: Path) -> None:
    text = "import sys\n\ndef test_it():\n    assert not {'torch', 'grader.catalog'} & {*sys.modules}\n"
    suite = tmp_path / "tests" / "public" / "test_one.py"
    suite.parent.mkdir(parents=True)
    suite.write_text(text, "utf-8")
    ended = run_pytest(tmp_path)
    assert "1 passed" in ended.stdout, ended.stdout
    assert "attention-grader" in ended.stdout  # it is installed, and did nothing
