"""Run labelled cases and print both error lists: right code that lost points, wrong code that did not.

    python tests/run_cases.py FOLDER [--exercise STEM] [--seed N] [--all]

FOLDER holds `wheats/<stem>/*.py` and `chaffs/<stem>/*.py`, or is one of these. The first comment line of
a file is its label: `# WHEAT | ...` must get full points for its exercise, `# CHAFF | ...` must not.
Exit code 1 if a label is not met. `grade verify` proves the assignment's own cases, and more.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.catalog import Assignment, read_assignment
from grader.judge.client import JudgeHost
from grader.load import load_submission
from grader.verify.attempts import Attempt, AttemptResult, CheckRun, run_attempts
from grader.verify.cases import Case, find_cases

ROOT = Path(__file__).resolve().parent.parent
IN_FLIGHT = 2


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


def run_cases(
    assignment: Assignment, cases: Sequence[Case], *, seed: int = 1, device: str = "pretend"
) -> Iterator[CaseResult]:
    """Grade every case for its own exercise only, a few at a time, in the order of `cases`."""
    attempts = (
        Attempt(case.path.name, case.stem, load_submission(case.path, assignment), seed) for case in cases
    )
    with JudgeHost(assignment, isolation="auto", device=device) as host:
        results = run_attempts(host, attempts, device=device, in_flight=IN_FLIGHT)
        for case, result in zip(cases, results, strict=True):
            yield summarise(case, result)


def summarise(case: Case, result: AttemptResult) -> CaseResult:
    if result.failure is not None:
        return CaseResult(case, 0.0, 0.0, (), result.failure.message)
    if result.problem is not None:
        return CaseResult(case, 0.0, 1.0, (), result.problem.message if case.is_wheat else "")
    lost = tuple(_describe(check) for check in result.checks if not check.is_passed)
    return CaseResult(case, result.score, result.max_score, lost)


def _describe(check: CheckRun) -> tuple[str, str, str, str]:
    message = check.staff_message if check.outcome == "harness_error" else check.message
    return check.name, check.outcome, message, check.diagnosis


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
