"""`grade submit` when one of its processes is killed in the middle, or the user has had enough.

Whoever dies: a clear message, exit code 3, no score, no process and no half-written file left behind.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

SUITE = """
    import pytest
    from grader.suite import require

    @pytest.mark.points(2)
    def test_square(student):
        \"\"\"Squares.\"\"\"
        require(student.square(3) == 9, "Not the square.")
"""
SLOW = """
    import time

    def square(x):
        time.sleep(2.5)
        return x * x
"""
PATIENCE_S = 60.0

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="looks at processes as Linux has them"
)


@dataclass(frozen=True)
class Running:
    """A started `grade submit`, its processes, and where its result goes."""

    process: subprocess.Popen[str]
    host: psutil.Process
    judge: psutil.Process
    template: psutil.Process
    worker: psutil.Process
    output: Path

    def all(self) -> list[psutil.Process]:
        return [self.host, self.judge, self.template, self.worker]

    def finish(self) -> tuple[int, str]:
        """Exit code and what stood on the screen; every process must be gone."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        end = time.monotonic() + 5
        while any(_is_alive(process) for process in self.all()) and time.monotonic() < end:
            time.sleep(0.05)
        left = [process for process in self.all() if _is_alive(process)]
        assert not left, f"still running: {left}"
        assert [path.name for path in self.output.parent.iterdir() if path != self.output] == []
        return self.process.returncode, out + err

    def result(self) -> dict[str, Any]:
        return dict(json.loads(self.output.read_text("utf-8")))


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def running(build: Any, exercise_type: Any, tmp_path: Path) -> Iterator[Running]:
    """A grading whose student code sleeps right now, in a worker."""
    exercise = exercise_type(reference="def square(x):\n    return x * x\n", hidden=SUITE)
    assignment = build(square=exercise)
    submission, results = tmp_path / "submission", tmp_path / "results"
    submission.mkdir(), results.mkdir()
    (submission / "square.py").write_text("\n".join(line[4:] for line in SLOW.splitlines()))
    command = [
        sys.executable,
        "-m",
        "grader",
        "submit",
        str(submission),
        "--assignment",
        str(assignment.root),
    ]
    process = subprocess.Popen(
        [*command, "-o", str(results / "out.json")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, cwd=Path(__file__).resolve().parents[3],
    )  # fmt: skip
    try:
        yield _wait_for_worker(process, results / "out.json")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
        process.stderr.close()  # type: ignore[union-attr]


def _wait_for_worker(process: subprocess.Popen[str], output: Path) -> Running:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        try:
            found = _find(psutil.Process(process.pid))
        except psutil.Error:
            continue
        if found is not None:
            time.sleep(0.3)  # the worker is there; now it is asleep in the call
            return Running(process, *found, output)
        time.sleep(0.05)
    raise AssertionError(f"no worker appeared: {process.communicate(timeout=5)}")


def _find(
    top: psutil.Process,
) -> tuple[psutil.Process, psutil.Process, psutil.Process, psutil.Process] | None:
    hosts = [p for p in top.children() if "grader.judge.host" in " ".join(p.cmdline())]
    if not hosts:
        return None
    judges = [p for p in hosts[0].children() if p.cmdline() == hosts[0].cmdline()]
    boots = [
        p
        for p in hosts[0].children(recursive=True)
        if "boot.py" in " ".join(p.cmdline()) and "-I" in p.cmdline()[1:3]
    ]
    workers = [p for p in boots if p.parent() in boots]
    if not judges or not workers:
        return None
    template = workers[-1].parent()
    assert template is not None
    return hosts[0], judges[0], template, workers[-1]


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("template", "template process has died"),
        ("judge", "judge died before it was done"),
        ("host", "judge host has died"),
    ],
)
def test_a_killed_process_of_ours_means_a_regrade_and_no_score(running: Running, who: str, said: str) -> None:
    os.kill(getattr(running, who).pid, signal.SIGKILL)
    code, screen = running.finish()
    result = running.result()
    assert code == 3, screen
    assert (result["status"], result["score"]) == ("needs_regrade", None)
    assert said in screen + json.dumps(result), screen
    assert "Traceback" not in screen


def test_a_worker_that_the_machine_kills_is_tried_again(running: Running) -> None:
    os.kill(running.worker.pid, signal.SIGKILL)
    code, screen = running.finish()
    assert code == 0, screen
    assert running.result()["score"] == 2


def _interrupt(running: Running) -> None:
    os.killpg(running.process.pid, signal.SIGINT)


def _interrupt_twice(running: Running) -> None:
    _interrupt(running)
    time.sleep(0.1)
    if running.process.poll() is None:
        _interrupt(running)


@pytest.mark.parametrize("interrupt", [_interrupt, _interrupt_twice])
def test_ctrl_c_ends_everything_and_writes_nothing(
    running: Running, interrupt: Callable[[Running], None]
) -> None:
    interrupt(running)
    code, screen = running.finish()
    assert code == 130, screen
    assert not running.output.exists()
    assert "Traceback" not in screen


def test_the_grader_itself_killed_leaves_nothing(running: Running) -> None:
    running.process.send_signal(signal.SIGKILL)
    running.finish()
    assert not running.output.exists()
