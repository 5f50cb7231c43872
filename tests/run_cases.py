"""Run labelled cases and print both error lists: right code that lost points, wrong code that did not.

    python tests/run_cases.py FOLDER [--exercise STEM] [--seed N] [--all]

FOLDER holds `wheats/<stem>/*.py` and `chaffs/<stem>/*.py`, or is one of these. The first comment line of
a file is its label: `# WHEAT | ...` must get full points for its exercise, `# CHAFF | ...` must not.
Exit code 1 if a label is not met.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.catalog import Assignment, read_assignment
from grader.errors import GraderError
from grader.judge.client import JudgeHost
from grader.load import load_submission
from grader.records import SuiteRun

ROOT = Path(__file__).resolve().parent.parent
IN_FLIGHT = 2


@dataclass(frozen=True)
class Case:
    path: Path
    stem: str
    label: str
    is_wheat: bool


@dataclass(frozen=True)
class CaseResult:
    """`lost` are the checks that were not passed: (name, outcome, message, diagnosis)."""

    case: Case
    score: float
    max_score: float
    lost: tuple[tuple[str, str, str, str], ...]
    problem: str = ""

    @property
    def is_as_labelled(self) -> bool:
        full = abs(self.score - self.max_score) < 1e-9
        has_harness_error = any(outcome == "harness_error" for _, outcome, _, _ in self.lost)
        return not self.problem and not has_harness_error and full == self.case.is_wheat


def find_cases(folder: Path, stems: Sequence[str]) -> list[Case]:
    """All labelled files whose folder is named like one of `stems`."""
    paths = (path for path in sorted(folder.rglob("*.py")) if path.parent.name in stems)
    return [case for case in map(read_case, paths) if case is not None]


def read_case(path: Path) -> Case | None:
    first = path.read_bytes().partition(b"\n")[0].decode("utf-8", "replace").lstrip("\ufeff").strip()
    if not re.match(r"#.*?(WHEAT|CHAFF)", first):
        second = (
            path.read_bytes().split(b"\n")[1].decode("utf-8", "replace") if b"\n" in path.read_bytes() else ""
        )
        first = second.strip()
    if not re.match(r"#.*?(WHEAT|CHAFF)", first):
        return None
    return Case(path, path.parent.name, first, "WHEAT" in first)


def run_cases(
    assignment: Assignment, cases: Sequence[Case], *, seed: int = 1, device: str = "pretend"
) -> Iterator[CaseResult]:
    """Grade every case for its own exercise only, a few at a time, in the order of `cases`."""
    with JudgeHost(assignment, isolation="auto", device=device) as host:
        host.wait_ready()
        waiting: dict[str, Case] = {}
        done: dict[str, CaseResult] = {}
        shown = 0
        for number, case in enumerate(cases):
            if len(waiting) >= IN_FLIGHT:
                _receive(host, waiting, done)
            submission = load_submission(case.path, assignment)
            problem = submission.exercises[case.stem].problem
            if problem is not None:
                done[str(number)] = CaseResult(
                    case, 0.0, 1.0, (), "" if not case.is_wheat else problem.message
                )
            else:
                host.send(str(number), submission, seed=seed, device=device, exercises=(case.stem,))
                waiting[str(number)] = case
            while str(shown) in done:
                yield done[str(shown)]
                shown += 1
        while waiting:
            _receive(host, waiting, done)
        yield from (done[str(number)] for number in range(shown, len(cases)))


def _receive(host: JudgeHost, waiting: dict[str, Case], done: dict[str, CaseResult]) -> None:
    job, outcome = host.receive()
    case = waiting.pop(job)
    if isinstance(outcome, GraderError):
        done[job] = CaseResult(case, 0.0, 0.0, (), outcome.message)
    else:
        done[job] = summarise(case, outcome)


def summarise(case: Case, run: SuiteRun) -> CaseResult:
    records = [test["metadata"]["check"] for test in run.pytest_report["tests"]]
    by_check: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        by_check.setdefault(record["name"], []).append(record)
    total = sum(check[0]["points"] for check in by_check.values())
    bad = [next((r for r in check if r["outcome"] != "passed"), None) for check in by_check.values()]
    lost = [r for r in bad if r is not None]
    score = total - sum(r["points"] for r in lost)
    return CaseResult(case, score, total, tuple(_describe(r) for r in lost))


def _describe(record: dict[str, Any]) -> tuple[str, str, str, str]:
    diagnosis = record["diagnosis"]["misconception"] if record["diagnosis"] else ""
    message = record["staff_message"] if record["outcome"] == "harness_error" else record["message"]
    return record["name"], record["outcome"], message, diagnosis


def describe(result: CaseResult) -> str:
    lines = [
        f"{result.case.stem}/{result.case.path.name}: {result.score:g} of {result.max_score:g}",
        f"    {result.case.label}",
    ]
    if result.problem:
        lines.append(f"    problem: {result.problem}")
    for name, outcome, message, diagnosis in result.lost:
        lines.append(
            f"    {name}: {outcome}: {' '.join(message.split())[:160]}"
            + (f" [{diagnosis}]" if diagnosis else "")
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--assignment", type=Path, default=ROOT)
    parser.add_argument("--exercise", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="pretend")
    parser.add_argument("--all", action="store_true", help="print every case, not only the wrong ones")
    arguments = parser.parse_args(argv)
    assignment = read_assignment(arguments.assignment.resolve())
    cases = find_cases(arguments.folder, arguments.exercise or assignment.stems)
    results = list(run_cases(assignment, cases, seed=arguments.seed, device=arguments.device))
    if arguments.all:
        print("\n".join(map(describe, results)))
    wrong = [result for result in results if not result.is_as_labelled]
    for title, wheat in (("Right code that lost points", True), ("Wrong code that was not caught", False)):
        chosen = [result for result in wrong if result.case.is_wheat is wheat]
        print(f"\n{title}: {len(chosen)} of {sum(r.case.is_wheat is wheat for r in results)}")
        print("\n".join(map(describe, chosen)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
