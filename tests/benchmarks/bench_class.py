"""How long does a class take? Our batch against the least possible and against plain pytest, in one run.

    python tests/benchmarks/bench_class.py [--sizes 10 100] [--jobs N] [--hostile] [--isolation strict]

Generates classes of submissions with known points from the project's right and wrong solutions, grades them
with `grade batch`, and compares every score with the truth (exit code 1 if one differs). Beside it, on the
same submissions and checks: (a) the checks called one after the other in one warm process, (b) a plain pytest
process with pytest-json-report per submission. Neither isolates anything. A machine's speed drifts, so only
ratios within one run count. With --hostile, one of each kind of hostile or broken submission is added.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent))

from generated_class import ClassMaker, Truth, core_of, differences

from grader.catalog import Assignment, read_assignment
from grader.classroom.batch import run_batch
from grader.classroom.options import BatchOptions
from grader.classroom.progress import watching
from grader.report.writing import read_report

ROOT = Path(__file__).resolve().parents[2]
SEED = 1
MOST_FOR_PLAIN = 20  # submissions that are timed the slow way
MOST_FOR_PYTEST = 5


class Measured(NamedTuple):
    """Seconds of a whole batch and what the start took of them; `peak_mb` is our own process's memory.

    `own_cpu_s` and `judging_cpu_s` are CPU seconds after the start, ours and of judges and workers.
    """

    size: int
    all_s: float
    start_s: float
    peak_mb: float
    own_cpu_s: float
    judging_cpu_s: float
    wrong: int = 0

    @property
    def each_s(self) -> float:
        return (self.all_s - self.start_s) / self.size


def grade_class(assignment: Assignment, folder: Path, out: Path, arguments: argparse.Namespace) -> Measured:
    """One `grade batch` in a process of its own, so that its memory can be told."""
    code = "import sys; from bench_class import run_one; run_one(sys.argv[1:])"
    argv = [str(folder), str(out), str(arguments.jobs), arguments.isolation, str(assignment.root)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent)}
    done = subprocess.run(
        [sys.executable, "-c", code, *argv], env=environment, stdout=subprocess.PIPE, check=True, text=True
    )
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def run_one(argv: Sequence[str]) -> None:
    """In that process: grade, and print the times as JSON."""
    import resource

    import grader.judge.client as client

    waited: list[float] = []
    spent: dict[str, float] = {}
    wait_ready = client.JudgeHost.wait_ready

    def timed(host: client.JudgeHost) -> None:
        began = time.monotonic()
        wait_ready(host)
        waited.append(time.monotonic() - began)
        if not spent:
            spent.update(start=cpu_below_s(), own=own_cpu_s())

    def closed(host: client.JudgeHost) -> None:
        spent["end"] = cpu_below_s()
        close(host)

    client.JudgeHost.wait_ready = timed  # type: ignore[method-assign]
    close, client.JudgeHost.close = client.JudgeHost.close, closed  # type: ignore[method-assign]
    folder, out, jobs, isolation, root = argv
    options = BatchOptions(
        (Path(folder),), Path(out), int(jobs), isolation=isolation, device="auto", seed=SEED
    )
    began = time.monotonic()
    with watching(sys.stderr) as watcher:
        end = run_batch(options, read_assignment(Path(root)), watcher)
    told = {
        "size": end.graded,
        "all_s": time.monotonic() - began,
        "start_s": sum(waited),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "own_cpu_s": own_cpu_s() - spent["own"],
        "judging_cpu_s": spent["end"] - spent["start"],
    }
    print(json.dumps(told))


def own_cpu_s() -> float:
    times = psutil.Process().cpu_times()
    return float(times.user + times.system)


def cpu_below_s() -> float:
    """CPU seconds of all processes below this one, those included that have ended."""
    spent = 0.0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            spent += times.user + times.system + times.children_user + times.children_system
    return spent


def check_scores(truth: Truth, out: Path) -> list[str]:
    scores = {}
    for path in sorted((out / "results").glob("*.json")):
        report = read_report(path.read_text("utf-8"))
        scores[path.stem] = {exercise.stem: exercise.score for exercise in report.exercises}
        if (report.status == "rejected") != (path.stem in truth.rejected):
            scores[path.stem] = dict.fromkeys(scores[path.stem])
    return differences(truth, scores)


def time_direct(assignment: Assignment, folders: Sequence[Path]) -> float:
    """Seconds per submission in one warm process, in a process of its own for torch's sake."""
    code = (
        "import json, sys, time; from pathlib import Path; from plain import PlainSuites;"
        "from grader.catalog import read_assignment; from generated_class import core_of;"
        "suites = PlainSuites(core_of(read_assignment(Path(sys.argv[1]))));"
        "folders = [Path(p) for p in sys.argv[2:]];"
        "[suites.grade(folder) for folder in folders[:3]];"
        "began = time.monotonic(); [suites.grade(folder) for folder in folders];"
        "print(json.dumps((time.monotonic() - began) / len(folders)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(assignment.root), *map(str, folders)],
        env=environment, stdout=subprocess.PIPE, check=True, text=True,
    )  # fmt: skip
    return float(json.loads(done.stdout.splitlines()[-1]))


def time_pytest(assignment: Assignment, folders: Sequence[Path], scratch: Path) -> float:
    """Seconds per submission with a pytest process for each."""
    stems = core_of(assignment).stems
    suites = [assignment.suite(stem, kind) for stem in stems for kind in ("public", "hidden")]
    began = time.monotonic()
    for folder in folders:
        environment = {
            **os.environ,
            "PYTHONPATH": str(Path(__file__).resolve().parent),
            "PLAIN_COURSE": str(assignment.root),
            "PLAIN_SUBMISSION": str(folder),
            "OMP_NUM_THREADS": "1",
        }
        arguments = [
            "-q",
            "-p",
            "plain",
            "-p",
            "no:cacheprovider",
            "--import-mode=importlib",
            "-c",
            os.devnull,
        ]
        arguments += ["--rootdir", str(assignment.root)]
        arguments += ["--json-report", f"--json-report-file={scratch / 'plain.json'}"]
        subprocess.run(
            [sys.executable, "-m", "pytest", *arguments, *(str(path) for path in suites if path.is_file())],
            env=environment, stdout=subprocess.DEVNULL, check=False, cwd=scratch,
        )  # fmt: skip
        if not (scratch / "plain.json").is_file():
            raise SystemExit("The plain pytest process made no report.")
    return (time.monotonic() - began) / len(folders)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--isolation", default="strict")
    parser.add_argument(
        "--hostile", action="store_true", help="add endless loops, crashes and broken archives"
    )
    parser.add_argument("--no-pytest", action="store_true", help="leave the slow comparison out")
    arguments = parser.parse_args(argv)
    assignment, problems = read_assignment(ROOT), []
    with tempfile.TemporaryDirectory(prefix="bench-class-") as name:
        scratch, maker, measured = Path(name), ClassMaker(assignment, SEED), []
        for size in arguments.sizes:
            folder, out = scratch / f"class{size}", scratch / f"out{size}"
            truth = maker.make(folder, size, hostile=arguments.hostile)
            done = grade_class(assignment, folder, out, arguments)
            wrong = check_scores(truth, out)
            problems += [f"class of {size}: {problem}" for problem in wrong]
            measured.append(done._replace(wrong=len(wrong)))
        honest = [folder / one for one in truth.honest]
        direct_s = time_direct(assignment, honest[:MOST_FOR_PLAIN])
        pytest_s = None if arguments.no_pytest else time_pytest(assignment, honest[:MOST_FOR_PYTEST], scratch)
    print_table(measured, direct_s, pytest_s, arguments)
    print("\n".join(problems) or "Every score is as it must be.")
    return 1 if problems else 0


def print_table(
    measured: Sequence[Measured], direct_s: float, pytest_s: float | None, arguments: argparse.Namespace
) -> None:
    print(f"{arguments.jobs} jobs, isolation {arguments.isolation}; seconds of wall time per submission\n")
    print(
        f"{'':34}{'each':>8}{'ratio':>8}{'own CPU':>9}{'judging':>9}{'in all':>9}{'start':>8}"
        f"{'memory':>9}{'wrong':>7}"
    )
    print(f"{'(a) direct, one warm process':34}{direct_s:8.3f}{1:8.2f}")
    for one in measured:
        cpu = f"{one.own_cpu_s / one.size:9.3f}{one.judging_cpu_s / one.size:9.3f}"
        whole = f"{one.all_s:9.1f}{one.start_s:8.1f}{one.peak_mb:6.0f} MB{one.wrong:7}"
        label = f"grade batch, {one.size} submissions"
        print(f"{label:34}{one.each_s:8.3f}{one.each_s / direct_s:8.2f}{cpu}{whole}")
    if pytest_s is not None:
        print(f"{'(b) a plain pytest process each':34}{pytest_s:8.3f}{pytest_s / direct_s:8.2f}")
        last = measured[-1]
        print(f"\n{pytest_s / last.each_s:.1f} times as fast as (b), with every layer of isolation on")


if __name__ == "__main__":
    sys.exit(main())
