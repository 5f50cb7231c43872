"""`grade batch --cluster`: a real scheduler and real workers on this machine, killed, refusing, too late."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("distributed")

DEADLINE_S = 180.0
SLOW = "import time\n\n\ndef double(x):\n    time.sleep(0.3)\n    return 2 * x\n"
# A machine on which the grader is not installed.
WITHOUT_GRADER = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "grader":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from distributed.cli.dask_worker import main
main()
"""


class Process:
    """A process of its own, and all that were ever seen below it."""

    def __init__(self, argv: list[str], log: Path, **environment: str) -> None:
        self.log = log
        with log.open("wb") as out:
            self.popen = subprocess.Popen(
                argv, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **environment}
            )
        self.seen = {psutil.Process(self.popen.pid)}

    @property
    def said(self) -> str:
        return self.log.read_text("utf-8", "replace")

    def watch(self) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            self.seen.update(psutil.Process(self.popen.pid).children(recursive=True))

    def end(self, how: int | None = None) -> int:
        """Its exit code; nothing below it may be left a short time later."""
        self.watch()
        if how is not None and self.popen.poll() is None:
            self.popen.send_signal(how)
        code = self.popen.wait(DEADLINE_S)
        _, alive = psutil.wait_procs(list(self.seen), timeout=30)
        assert not alive, f"left running: {alive}"
        return code


class Cluster:
    """A scheduler, workers with two threads each, and batches that use them."""

    def __init__(self, folder: Path, course: Path, students: Path) -> None:
        self.folder, self.course, self.students = folder, course, students
        self.processes: list[Process] = []
        self.scheduler = self._start("scheduler", "--port", "0")
        (line,) = self.wait_for(self.scheduler, "Scheduler at:")
        self.address = line.split()[-1]

    def _start(self, kind: str, *arguments: str, code: str = "", **environment: str) -> Process:
        start = ["-c", code] if code else ["-m", f"distributed.cli.dask_{kind}"]
        argv = [sys.executable, *start, *arguments, "--host", "127.0.0.1", "--no-dashboard"]
        log = self.folder / f"{len(self.processes)}.log"
        self.processes.append(Process(argv, log, **environment))
        return self.processes[-1]

    def wait_for(self, process: Process, text: str) -> list[str]:
        """The lines that hold the text, once there are some."""
        end = time.monotonic() + DEADLINE_S
        while not (lines := [line for line in process.said.splitlines() if text in line]):
            assert process.popen.poll() is None, process.said
            assert time.monotonic() < end, process.said
            time.sleep(0.05)
        return lines

    def worker(self, *, assignment: Path | None = None, nanny: bool = False, code: str = "") -> Process:
        place = str(assignment or self.course)
        options = ("--nthreads", "2", "--nanny" if nanny else "--no-nanny", "--local-directory")
        directory = str(self.folder / "dask")
        worker = self._start("worker", self.address, *options, directory, code=code, GRADE_ASSIGNMENT=place)
        self.wait_for(worker, "Registered to:")
        return worker

    def address_of(self, worker: Process) -> str:
        return self.wait_for(worker, "Start worker at:")[0].split()[-1]

    def batch(self, out: Path, *arguments: str, here: bool = False) -> Process:
        code = "import sys; from grader.__main__ import main; sys.exit(main())"
        where = () if here else ("--cluster", self.address)
        argv = [sys.executable, "-c", code, "batch", str(self.students), "-o", str(out)]
        always = ("--isolation", "auto", "--seed", "5")
        batch = Process([*argv, *always, *where, *arguments], self.folder / f"{out.name}.log")
        self.processes.append(batch)
        return batch

    def close(self) -> None:
        for process in reversed(self.processes):
            process.end(signal.SIGKILL)


@pytest.fixture
def cluster(tmp_path: Path, course: Path, students: Any) -> Iterator[Cluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    started = Cluster(folder, course, students.path)
    yield started
    started.close()


def _results(out: Path) -> dict[str, Any]:
    """All results without times."""
    found = {}
    for path in (out / "results").glob("*.json"):
        report = json.loads(path.read_text("utf-8"))
        del report["started_at"], report["duration_s"]
        for exercise in report["exercises"]:
            for check in exercise["checks"]:
                del check["duration_s"]
        found[path.stem] = report
    return found


def _wait_until(is_so: Callable[[], bool], process: Process) -> None:
    end = time.monotonic() + DEADLINE_S
    while not is_so():
        assert process.popen.poll() is None, process.said
        assert time.monotonic() < end, process.said
        time.sleep(0.02)


def _has_host(worker: Process) -> bool:
    """Is there a judge host with its template below this Dask worker?"""
    worker.watch()
    return sum(one.is_running() for one in worker.seen) >= 3


def test_results_are_those_of_a_local_run_but_for_times(
    cluster: Cluster, students: Any, tmp_path: Path
) -> None:
    students.hand_in("ada")
    students.hand_in("ben", double="def double(x):\n    return 3 * x\n")
    students.hand_in("cem", triple="def triple(x):\n    return 1 / 0\n")
    students.hand_in("dan", double="import os\n\n\ndef double(x):\n    os._exit(0)\n")
    students.hand_in("eve", triple="", double="def double(x):\n    print('\\udc80é')\n    return 2 * x\n")
    (students.path / "fay").mkdir()
    assert cluster.batch(tmp_path / "local", here=True).end() == 0
    worker = cluster.worker(nanny=True)
    batch = cluster.batch(tmp_path / "far")
    assert batch.end() == 0, batch.said
    assert _results(tmp_path / "far") == _results(tmp_path / "local")
    assert "Grading: 6 of 6" in batch.said
    # The host stays for the next batch, and goes when the worker is told to.
    again = cluster.batch(tmp_path / "far", "--force", "--only", "ada")
    assert again.end() == 0, again.said
    assert worker.end(signal.SIGTERM) is not None
    assert _results(tmp_path / "far") == _results(tmp_path / "local")


def test_worker_that_is_killed_in_the_middle_loses_nobody(
    cluster: Cluster, students: Any, tmp_path: Path
) -> None:
    for number in range(12):
        students.hand_in(f"s{number:02d}", double=SLOW)
    killed, stays = cluster.worker(), cluster.worker()
    batch = cluster.batch(tmp_path / "out")
    results = tmp_path / "out" / "results"
    _wait_until(lambda: len(list(results.glob("*.json"))) >= 2 and _has_host(killed), batch)
    assert len(list(results.glob("*.json"))) < 12, "too late to prove anything"
    assert killed.end(signal.SIGKILL) == -signal.SIGKILL
    assert batch.end() == 0, batch.said
    assert {report["score"] for report in _results(tmp_path / "out").values()} == {6.0}
    assert len(_results(tmp_path / "out")) == 12
    stays.end(signal.SIGTERM)


def test_only_worker_that_shuts_down_is_waited_for_until_another_comes(
    cluster: Cluster, students: Any, tmp_path: Path
) -> None:
    for number in range(6):
        students.hand_in(f"s{number}", double=SLOW)
    leaves, out = cluster.worker(), tmp_path / "out"
    batch = cluster.batch(out)
    _wait_until(lambda: len(list(out.glob("results/*.json"))) >= 1, batch)
    leaves.end(signal.SIGTERM)
    cluster.wait_for(batch, f"No worker at `{cluster.address}`: waiting for one.")
    cluster.worker()
    assert batch.end() == 0, batch.said
    assert [report["score"] for report in _results(out).values()] == [6.0] * 6


def test_worker_with_other_suites_or_without_the_grader_refuses_and_others_judge(
    cluster: Cluster, students: Any, tmp_path: Path, course: Path
) -> None:
    for number in range(8):
        students.hand_in(f"s{number}", double=SLOW)
    other = shutil.copytree(course, tmp_path / "other")
    with (other / "tests" / "hidden" / "test_double.py").open("a") as suite:
        suite.write("# changed\n")
    stale, bare = cluster.worker(assignment=other), cluster.worker(code=WITHOUT_GRADER)
    batch = cluster.batch(tmp_path / "out")
    assert batch.end() == 3, batch.said
    last = batch.said.splitlines()[-1]
    assert f"grade: No worker at `{cluster.address}` judges for this batch." in last
    assert f"Worker `{cluster.address_of(stale)}` refuses: its assignment `{other}` has the digest" in last
    assert f"Worker `{cluster.address_of(bare)}` cannot load the grader: ModuleNotFoundError" in last
    assert _results(tmp_path / "out") == {}
    # Everything is meant for the only one that is fit. It goes; another has come meanwhile.
    fit = cluster.worker()
    batch = cluster.batch(tmp_path / "out")
    _wait_until(lambda: len(list((tmp_path / "out").glob("results/*.json"))) >= 1, batch)
    cluster.worker()
    fit.end(signal.SIGKILL)
    assert batch.end() == 0, batch.said
    assert {report["score"] for report in _results(tmp_path / "out").values()} == {6.0}
    assert len(_results(tmp_path / "out")) == 8


def test_interrupt_and_a_scheduler_that_goes_keep_what_is_done(
    cluster: Cluster, students: Any, tmp_path: Path
) -> None:
    for number in range(20):
        students.hand_in(f"s{number:02d}", double=SLOW)
    out = tmp_path / "out"
    batch = cluster.batch(out)
    cluster.wait_for(batch, f"No worker at `{cluster.address}`: waiting for one.")
    cluster.worker()
    _wait_until(lambda: len(list(out.glob("results/*.json"))) >= 2, batch)
    assert batch.end(signal.SIGINT) == 130, batch.said
    done = set(_results(out))
    assert 2 <= len(done) < 20
    batch = cluster.batch(out)
    _wait_until(lambda: len(list(out.glob("results/*.json"))) > len(done), batch)
    cluster.scheduler.end(signal.SIGKILL)
    assert batch.end() == 3, batch.said
    assert f"The Dask scheduler at `{cluster.address}` is gone." in batch.said
    assert done < set(_results(out))
    assert json.loads((out / "summary.json").read_text())["counts"]["not_graded_yet"] > 0


def test_address_without_a_scheduler(batch: Any, students: Any) -> None:
    students.hand_in("ada")
    ended = batch("--cluster", "tcp://127.0.0.1")
    assert (ended.code, "No Dask scheduler answers at `tcp://127.0.0.1`" in ended.err) == (3, True)


def test_place_of_the_assignment_alone_is_wrong_usage(batch: Any, students: Any) -> None:
    students.hand_in("ada")
    ended = batch("--cluster-assignment", "/srv/course")
    assert (ended.code, "without `--cluster ADDRESS`" in ended.err) == (2, True)
