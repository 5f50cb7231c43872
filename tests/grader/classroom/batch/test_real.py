"""Whole classes through real judges and real workers: nothing lost, nothing left running, nothing changed."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.classroom.gradebook import counting_grades, list_runs, open_database

ENDLESS = "def double(x):\n    while True: pass\n"
HOSTILE = {
    "endless": ENDLESS,
    "bomb": "import torch\n\n\ndef double(x):\n    return [torch.ones(1 << 28) for _ in range(99)]\n",
    "segfault": "import ctypes\n\n\ndef double(x):\n    ctypes.string_at(0)\n",
    "exits": "import os\n\n\ndef double(x):\n    os._exit(0)\n",
    "exits_early": "import os\n\nos._exit(0)\n\n\ndef double(x):\n    return 2 * x\n",
    "raises": "def double(x):\n    raise KeyboardInterrupt\n",
}
TRUTH = {
    "right_0": 6.0, "right_1": 6.0, "right_2": 6.0, "wrong": 3.0, "half": 4.0, "missing": 2.0, "corrupt": 0.0,
    "empty": 0.0, **dict.fromkeys(HOSTILE, 2.0),
    "exits_early": 6.0,  # a file that does not run as a whole is graded by its definitions
}  # fmt: skip


@pytest.fixture
def mixed(students: Any) -> Any:
    """Right, wrong, unfinished and hostile submissions, whose scores are in `TRUTH`."""
    for number in range(3):
        students.hand_in(f"right_{number}")
    students.hand_in("wrong", double="def double(x):\n    return 3 * x\n")
    students.hand_in("half", triple="def triple(x):\n    return x\n")
    students.hand_in("missing", double="")
    for name, text in HOSTILE.items():
        students.hand_in(name, double=text)
    (students.path / "empty").mkdir()
    (students.path / "corrupt").mkdir()
    (students.path / "corrupt" / "work.zip").write_bytes(b"PK\x03\x04 broken")
    return students


class Command:
    """`grade` in a process of its own."""

    def __init__(self, *arguments: str | Path) -> None:
        # Its version is fixed: a grader whose files are edited meanwhile is another one and grades again.
        code = (
            "import sys, grader.classroom.staleness as staleness; from grader.__main__ import main\n"
            "staleness.engine_version = lambda: '0+fixed'\n"
            "sys.exit(main())"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.seen: set[psutil.Process] = set()

    def watch(self) -> None:
        """Remember which processes there are below it now."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self.seen.update(psutil.Process(self.process.pid).children(recursive=True))

    def end(self, signal_number: int | None = None) -> tuple[int, str]:
        """Its exit code and standard error; all processes below it must have gone within a short time."""
        self.watch()
        if signal_number is not None:
            self.process.send_signal(signal_number)
        _, said = self.process.communicate(timeout=300)
        _, alive = psutil.wait_procs(list(self.seen), timeout=20)
        assert not alive, f"left running: {alive}"
        return self.process.returncode, said


@pytest.fixture
def start(course: Path, students: Any) -> Iterator[Any]:
    started: list[Command] = []

    def make(out: Path, *arguments: str) -> Command:
        started.append(Command("batch", students.path, "-o", out, "--isolation", "auto", *arguments))
        return started[-1]

    yield make
    for command in started:
        command.process.kill()
        command.process.communicate()


def _results(out: Path) -> dict[str, Any]:
    """All results without what time and chance change."""
    found = {}
    for path in sorted((out / "results").glob("*.json")):
        report = json.loads(path.read_text("utf-8"))
        del report["started_at"], report["duration_s"], report["environment"]["grader"]
        for exercise in report["exercises"]:
            for check in exercise["checks"]:
                del check["duration_s"]
                check.pop("frames", None)  # where code was when its time was over is chance
        found[path.stem] = report
    return found


def _assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Submission by submission, so that a difference can be read."""
    assert sorted(one) == sorted(other)
    for name, report in one.items():
        assert report == other[name], name


def _scores(out: Path) -> dict[str, float | None]:
    return {one: report["score"] for one, report in _results(out).items()}


def _grades(out: Path) -> list[tuple[Any, ...]]:
    """What the gradebook says, without ids of runs."""
    batch = json.loads((out / "batch.json").read_text())["id"]
    with open_database(out / "gradebook.sqlite") as engine:
        runs = {run.submission: 0 for run in list_runs(engine, batch)}
        for run in list_runs(engine, batch):
            runs[run.submission] += 1
        return [
            (
                grade.submission,
                grade.status,
                grade.score,
                grade.max_score,
                grade.exercises,
                runs[grade.submission],
            )
            for grade in counting_grades(engine, batch)
        ]


@pytest.mark.usefixtures("mixed")
def test_every_score_is_as_the_truth_table_says_with_one_and_two_jobs(start: Any, tmp_path: Path) -> None:
    one = start(tmp_path / "one", "--seed", "5", "--jobs", "1")
    code, said = one.end()
    assert code == 0, said
    assert _scores(tmp_path / "one") == TRUTH
    summary = json.loads((tmp_path / "one" / "summary.json").read_text())
    assert summary["counts"]["submissions"] == len(TRUTH)
    two = start(tmp_path / "two", "--seed", "5", "--jobs", "2")
    assert two.end()[0] == 0
    _assert_same(_results(tmp_path / "one"), _results(tmp_path / "two"))


@pytest.mark.usefixtures("mixed")
def test_killed_at_random_moments_and_run_again_the_gradebook_is_the_same(start: Any, tmp_path: Path) -> None:
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    began = time.monotonic()
    assert start(undisturbed, "--seed", "5", "--jobs", "2").end()[0] == 0
    whole_s = time.monotonic() - began
    rng = random.Random(20)
    for _ in range(5):
        command = start(killed, "--seed", "5", "--jobs", "2")
        # From the very start to a few results later.
        _wait_for_results(killed, rng.randrange(4), command, whole_s)
        command.end(signal.SIGKILL)
    code, said = start(killed, "--seed", "5", "--jobs", "2").end()
    assert code == 0, said
    assert _grades(killed) == _grades(undisturbed)
    _assert_same(_results(killed), _results(undisturbed))


def _wait_for_results(out: Path, more: int, command: Command, most_s: float) -> None:
    """Until `more` results than now are there, it has ended, or most of the time of a whole run is over."""
    results, end = out / "results", time.monotonic() + most_s
    there = len(list(results.glob("*.json"))) if results.is_dir() else 0
    while command.process.poll() is None and time.monotonic() < end:
        if results.is_dir() and len(list(results.glob("*.json"))) >= there + more:
            return
        command.watch()
        time.sleep(0.02)


def test_interrupt_leaves_nothing_running_and_what_is_done(start: Any, students: Any, tmp_path: Path) -> None:
    students.hand_in("ada")
    students.hand_in("zoe", double=ENDLESS.replace("pass", "import time; time.sleep(9)"))
    command = start(tmp_path / "out", "--jobs", "1")
    _wait_for_results(tmp_path / "out", 1, command, 120)
    code, said = command.end(signal.SIGINT)
    assert code == 130, said
    assert said.endswith("Run it again to go on.\n")
    assert _scores(tmp_path / "out") == {"ada": 6.0}
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["counts"]["not_graded_yet"] == 1


def test_template_that_is_killed_loses_nobody(start: Any, students: Any, tmp_path: Path) -> None:
    for number in range(4):
        students.hand_in(f"s{number}")
    command = start(tmp_path / "out", "--jobs", "2")
    _wait_for_results(tmp_path / "out", 1, command, 120)
    command.watch()
    for process in command.seen:
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if any(part.endswith("boot.py") for part in process.cmdline()):
                os.kill(process.pid, signal.SIGKILL)
    code, said = command.end()
    assert code == 0, said
    assert set(_scores(tmp_path / "out").values()) == {6.0}
