"""Judges attacks through one judge host and says of each what it must not have done.

An assignment of its own: the exercises with small limits and hidden suites only, so that whatever an
attack says after its import must stay unsaid.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import psutil
from corpus import FIRST, ROOT, Attack, honest, plain, wrong

from grader.catalog import Assignment, read_assignment
from grader.errors import GraderError, SubmissionError
from grader.judge.client import JudgeHost
from grader.load import load_submission
from grader.records import Submission, SuiteRun
from grader.report.schema import Report
from grader.report.writing import dump_report
from grader.score import score_run

IN_FLIGHT = 2
HONEST_EVERY = 5
LIMITS = {"import_cpu_s": 2, "call_cpu_s": 1, "exercise_wall_s": 6, "memory_mb": 512}
MARKED_FOLDERS = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev/mqueue", os.path.expanduser("~"))
SECRET_LINE = 25  # characters from which a line of the solutions or hidden suites is told apart
MAX_REPORT = 300_000


@dataclass(frozen=True)
class Result:
    """`score` is None where nothing was graded; `problems` are all rules that were broken."""

    attack: Attack
    score: float | None
    max_score: float
    outcomes: tuple[str, ...]
    problems: tuple[str, ...]

    def as_line(self) -> str:
        score = "none" if self.score is None else f"{self.score:g}"
        return f"{self.attack.title}: {score} of {self.max_score:g}, {' '.join(self.outcomes)}"


def make_assignment(folder: Path, *, light: bool = False) -> Assignment:
    """The assignment with small limits, hidden suites only, and points that fit them.

    `light`: with the few checks of `suites/` for the exercises that are attacked, and no others.
    """
    suites = ROOT / "tests" / ("attacks/suites" if light else "hidden")
    copied = {"exercises": ROOT / "exercises", "solutions": ROOT / "solutions", "tests/hidden": suites}
    left_out = shutil.ignore_patterns("__pycache__", *(["misconceptions"] if light else []))
    for name, source in copied.items():
        shutil.copytree(source, folder / name, ignore=left_out)
    text = (ROOT / "exercises" / "assignment.toml").read_text("utf-8")
    head, *tables = re.sub(r"\[limits\][^\[]*", "", text).split("[[exercises]]")
    limits = "".join(f"{name} = {value}\n" for name, value in LIMITS.items())
    fitted = [_fit_points(table, suites) for table in tables if _suite(table, suites).is_file()]
    (folder / "exercises" / "assignment.toml").write_text(f"{head}[limits]\n{limits}\n{''.join(fitted)}")
    return read_assignment(folder)


def _fit_points(table: str, suites: Path) -> str:
    points = re.findall(r"mark\.points\(([\d.]+)\)", _suite(table, suites).read_text("utf-8"))
    return "[[exercises]]" + re.sub(r"points = [\d.]+", f"points = {sum(map(float, points))}", table)


def _suite(table: str, suites: Path) -> Path:
    stem = re.search(r'stem = "(\w+)"', table)
    assert stem is not None
    return suites / f"test_{stem[1]}.py"


class Trial:
    """A running host with the assignment of attacks; `run` judges any number of them."""

    def __init__(self, assignment: Assignment, host: JudgeHost, scratch: Path, canary: str) -> None:
        self.assignment, self.host, self.scratch, self.canary = assignment, host, scratch, canary
        self.secret_lines = _secret_lines()
        self.baselines: dict[tuple[str, str], float] = {}
        self._count = 0

    def run(self, attacks: Sequence[Attack]) -> list[Result]:
        """Judge all, an honest submission now and then between them, two at a time."""
        for stem in sorted({attack.exercise for attack in attacks}):
            self._measure(stem)
        queue: list[Attack] = []
        for number, attack in enumerate(attacks, 1):
            queue.append(attack)
            if number % HONEST_EVERY == 0 or number == len(attacks):
                queue.append(plain(attack.exercise, honest(attack.exercise), "honest"))
        before = marks()
        results = list(self._judge(queue))
        left = sorted(marks() - before)
        if left:
            results.append(Result(plain(FIRST, "", "all"), None, 0.0, (), (f"files left: {left}",)))
        return results

    def _measure(self, stem: str) -> None:
        """What a right and a wrong answer earn."""
        for name, text in (("honest", honest(stem)), ("wrong", wrong(stem))):
            if (stem, name) not in self.baselines:
                (result,) = self._judge([plain(stem, text, f"measured_{name}")])
                assert result.score is not None, result
                self.baselines[stem, name] = result.score

    def _judge(self, attacks: Sequence[Attack]) -> Iterator[Result]:
        waiting, running = list(reversed(attacks)), {}
        while waiting or running:
            while waiting and len(running) < IN_FLIGHT:
                attack = waiting.pop()
                submission = self._load(attack)
                if isinstance(submission, GraderError):
                    yield self._examine(attack, submission, None)
                    continue
                self._count += 1
                running[str(self._count)] = (attack, submission)
                self.host.send(
                    str(self._count),
                    submission,
                    seed=self._count,
                    device="pretend",
                    exercises=(attack.exercise,),
                )
            if running:
                job, outcome = self.host.receive(120.0)
                attack, submission = running.pop(job)
                yield self._examine(attack, outcome, submission)

    def _load(self, attack: Attack) -> Submission | SubmissionError:
        self._count += 1
        folder = self.scratch / f"{self._count}_{attack.name}"
        folder.mkdir()
        attack.write(folder)
        try:
            return load_submission(folder, self.assignment, submission_id="student")
        except SubmissionError as err:
            return err

    def _examine(
        self, attack: Attack, outcome: SuiteRun | GraderError, submission: Submission | None
    ) -> Result:
        if isinstance(outcome, SubmissionError):
            problems = self._in_text(f"{outcome.message} {outcome.hint}")
            return self._decide(attack, 0.0, 1.0, ("rejected",), problems)
        if isinstance(outcome, GraderError):
            return Result(attack, None, 0.0, (), (f"the grader failed: {outcome.message}",))
        assert submission is not None
        report = score_run(
            self.assignment, submission, outcome, seed=0, started_at=datetime.now(timezone.utc), duration_s=0.0,
            exercises=(attack.exercise,),
        )  # fmt: skip
        return self._examine_report(attack, report)

    def _examine_report(self, attack: Attack, report: Report) -> Result:
        (exercise,) = report.exercises
        problems = self._in_text(dump_report(report, "student"))
        problems += [
            f"in the staff's report: {word}"
            for word in ("LEAK", self.canary)
            if word in dump_report(report, "staff")
        ]
        outcomes = tuple(sorted({check.outcome for check in exercise.checks}))
        if report.score is None:
            failed = [c.staff_message for c in exercise.checks if c.outcome == "harness_error"]
            problems.append(f"needs a regrade: {report.status_reason} {failed[:1]}")
            return Result(attack, None, exercise.max_score, outcomes, tuple(problems))
        unforeseen = set(outcomes) - attack.may - {"skipped", "failed", "passed"}
        if attack.kind != "plain" and unforeseen:
            problems.append(f"outcomes that it may not have: {' '.join(sorted(unforeseen))}")
        return self._decide(attack, report.score, exercise.max_score, outcomes, problems)

    def _decide(
        self, attack: Attack, score: float, max_score: float, outcomes: tuple[str, ...], problems: list[str]
    ) -> Result:
        full = self.baselines.get((attack.exercise, "honest"), max_score)
        nothing = self.baselines.get((attack.exercise, "wrong"), 0.0)
        broken = {
            "zero": score > nothing + 1e-9,
            "full": score < full - 1e-9,
            "partial": score >= full - 1e-9,
            "any": score > full + 1e-9,
        }[attack.must if attack.name != "honest" else "full"]
        if broken:
            problems.append(
                f"must be {attack.must}, got {score:g} of {full:g} (a wrong answer has {nothing:g})"
            )
        return Result(attack, score, max_score, outcomes, tuple(problems))

    def _in_text(self, text: str) -> list[str]:
        """What a student must not read: canary, inputs told, the grader's texts, raw control characters."""
        decoded = json.dumps(json.loads(text), ensure_ascii=False) if text.startswith("{") else text
        found = [
            f"the student reads {word!r}"
            for word in (self.canary, "LEAK", "TOLD [", "TOLD ['_ref")
            if word in decoded
        ]
        found += [
            f"the student reads a line of the grader: {line}" for line in self.secret_lines if line in text
        ]
        if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text.replace("\n", "")):
            found.append("raw control characters")
        if len(text) > MAX_REPORT:
            found.append(f"a report of {len(text)} characters")
        return found


def _secret_lines() -> list[str]:
    """Lines of solutions and hidden suites that say something and that no attack holds."""
    held = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests" / "attacks").glob("*/*.py"))
    public = "\n".join(path.read_text("utf-8") for path in (ROOT / "exercises").glob("*.py"))
    lines: set[str] = set()
    for path in [*(ROOT / "solutions").glob("*.py"), *(ROOT / "tests" / "hidden").glob("*.py")]:
        lines |= {
            line.strip() for line in path.read_text("utf-8").splitlines() if "(" in line and '"' not in line
        }
    return sorted(line for line in lines if len(line) >= SECRET_LINE and line not in held + public)


def marks() -> set[str]:
    """Everything that attacks leave under names of their own, wherever they may write."""
    found: set[str] = set()
    for top in MARKED_FOLDERS:
        try:
            found |= {entry.path for entry in os.scandir(top) if "PWNED" in entry.name}
        except OSError:
            continue
    return found


@contextmanager
def open_trial(*, isolation: str = "auto", light: bool = False) -> Iterator[Trial]:
    """A trial in a temporary folder, with a canary in the environment and in files beside the solutions.

    Raises:
        AssertionError: a process or file is left when it is closed.
    """
    canary = f"CANARY-{os.urandom(8).hex()}"
    with ExitStack() as stack:
        scratch = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="attack_trial_", ignore_cleanup_errors=True)
            )
        )
        scratch.chmod(0o755)
        own_tmp = scratch / "tmp"
        own_tmp.mkdir()
        assignment = make_assignment(scratch / "assignment", light=light)
        (assignment.root / "solutions" / "canary.env").write_text(canary)
        saved = {name: os.environ.get(name) for name in ("GRADER_CANARY", "TMPDIR")}
        os.environ.update(GRADER_CANARY=canary, TMPDIR=str(own_tmp))
        stack.callback(_restore_environment, saved)
        before = set(psutil.Process().children(recursive=True))
        (scratch / "submissions").mkdir()
        with JudgeHost(assignment, isolation=isolation, device="pretend") as host:
            host.wait_ready()
            yield Trial(assignment, host, scratch / "submissions", canary)
        left = [p for p in set(psutil.Process().children(recursive=True)) - before if p.is_running()]
        assert not left, f"processes left: {left}"
        assert not list(own_tmp.iterdir()), f"files left: {list(own_tmp.iterdir())}"


def _restore_environment(saved: dict[str, str | None]) -> None:
    for name, value in saved.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
