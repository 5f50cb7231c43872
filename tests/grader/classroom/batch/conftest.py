"""A small course, classes of it, `grade batch` in this process, and a judge host that only pretends."""

from __future__ import annotations

import json
import shutil
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import grader.judge.client
from grader.__main__ import main
from grader.catalog import Assignment
from grader.errors import GraderError, HarnessError
from grader.records import ExerciseRun, Submission, SuiteRun

SAMPLE = Path(__file__).parents[3] / "samples" / "doubling"
GOOD = {path.stem: path.read_text("utf-8") for path in sorted((SAMPLE / "solutions").glob("*.py"))}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with two exercises, double (3 + 1 points) and triple (2); the current folder lies in it."""
    root = tmp_path / "course"
    shutil.copytree(SAMPLE, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(root)
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@dataclass(frozen=True)
class Class:
    """A folder of folders, one per student."""

    path: Path

    def hand_in(self, student: str, **files: str) -> Path:
        """Files by stem over right ones for both exercises; an empty text leaves one out."""
        for stem, text in {**GOOD, **files}.items():
            if text:
                write(self.path / student / f"{stem}.py", text)
            else:
                (self.path / student / f"{stem}.py").unlink(missing_ok=True)
        return self.path / student


@pytest.fixture
def students(tmp_path: Path) -> Class:
    return Class(tmp_path / "class")


@dataclass(frozen=True)
class Ended:
    """How a call of `grade` ended, and what lies in the batch's folder."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def summary(self) -> Any:
        return json.loads((self.folder / "summary.json").read_text("utf-8"))

    def result(self, student: str) -> Any:
        return json.loads((self.folder / "results" / f"{student}.json").read_text("utf-8"))

    @property
    def scores(self) -> dict[str, float | None]:
        return {line["id"]: line.get("score") for line in self.summary["submissions"]}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def grade(course: Path, out: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """`grade(...)`: the command line in this process."""

    def call(*arguments: str | Path) -> Ended:
        capfd.readouterr()
        code = main([str(one) for one in arguments])
        printed = capfd.readouterr()
        return Ended(code, printed.out, printed.err, out)

    return call


@pytest.fixture
def batch(grade: Callable[..., Ended], students: Class, out: Path) -> Callable[..., Ended]:
    """`batch(...)`: `grade batch` over the class, one at a time unless the arguments say otherwise."""

    def call(*arguments: str | Path) -> Ended:
        return grade("batch", students.path, "-o", out, "--jobs", "1", *arguments)

    return call


@dataclass
class Pretence:
    """Judge hosts that read the outcome off the code instead of running it.

    A file that holds `# wrong` fails the check of its exercise that carries most; `# sloppy` fails it once
    the hidden suite says `strict`. `# kills judge` and `# kills host` do what they say, and with
    `# kills judge once` only the first time.
    """

    judged: list[str] = field(default_factory=list)
    started: int = 0
    most_under_way: int = 0
    before_reply: Callable[[str], None] = lambda job: None
    killed: set[str] = field(default_factory=set)


class PretendHost:
    """In the place of `grader.judge.client.JudgeHost`."""

    def __init__(self, pretence: Pretence, assignment: Assignment, *, isolation: str, device: str) -> None:
        self.pretence, self.assignment = pretence, assignment
        self.environment = {"torch": "2.0", "level": isolation}
        self.jobs: deque[tuple[str, Submission, tuple[str, ...]]] = deque()
        self.is_dead = False
        pretence.started += 1

    def wait_ready(self) -> None:
        return

    def send(
        self,
        job: str,
        submission: Submission,
        *,
        seed: int,
        device: str,
        exercises: Any,
        pictures: bool = False,
    ) -> None:
        self.jobs.append((job, submission, exercises))
        self.pretence.most_under_way = max(self.pretence.most_under_way, len(self.jobs))

    def receive(self) -> tuple[str, SuiteRun | GraderError]:
        if any("# kills host" in text for _, sub, _ in self.jobs for text in _texts(sub)):
            raise HarnessError("The judge host has died.")
        job, submission, exercises = self.jobs.popleft()
        self.pretence.before_reply(job)
        self.pretence.judged.append(job)
        text = "".join(_texts(submission))
        if "# kills judge once" in text and job not in self.pretence.killed:
            self.pretence.killed.add(job)
            return job, HarnessError("The judge died before it was done.")
        if "# kills judge\n" in text:
            return job, HarnessError("The judge died before it was done.")
        return job, _pretend_run(self.assignment, submission, exercises)

    def close(self) -> None:
        self.is_dead = True


def _texts(submission: Submission) -> list[str]:
    return [exercise.source.text for exercise in submission.exercises.values() if exercise.source]


CHECKS = (("double", "test_values", 3.0), ("double", "test_zero", 1.0), ("triple", "test_values", 2.0))


def _pretend_run(assignment: Assignment, submission: Submission, exercises: Any) -> SuiteRun:
    catalogue, tests = [], []
    for stem, name, points in CHECKS:
        strict = "strict" in assignment.suite(stem, "hidden").read_text("utf-8")
        info = {
            "stem": stem,
            "name": name,
            "title": f"{stem} {name}",
            "visibility": "hidden",
            "points": points,
        }
        catalogue.append({**info, "cases": 1})
        source = submission.exercises[stem].source
        if source is None or (exercises and stem not in exercises):
            continue
        is_bad = "# wrong" in source.text or (strict and "# sloppy" in source.text)
        outcome = "failed" if is_bad and name == "test_values" else "passed"
        diagnosis = {"misconception": "off_by_one", "hint": "Count again."} if outcome == "failed" else None
        record = {**info, "outcome": outcome, "diagnosis": diagnosis, "devices": {"cpu": outcome}}
        tests.append({"nodeid": f"{stem}::{name}", "outcome": outcome, "metadata": {"check": record}})
    report = {"exitcode": 0, "checks": catalogue, "tests": tests}
    runs: Mapping[str, ExerciseRun] = {stem: ExerciseRun(stem) for stem in assignment.stems}
    return SuiteRun(report, {"layers": [], "device": ["cpu"]}, runs, {})


@pytest.fixture
def pretence(monkeypatch: pytest.MonkeyPatch) -> Pretence:
    """Nothing is really judged in this test."""
    pretence = Pretence()

    def start(assignment: Assignment, **settings: Any) -> PretendHost:
        return PretendHost(pretence, assignment, **settings)

    monkeypatch.setattr(grader.judge.client, "JudgeHost", start)
    return pretence
