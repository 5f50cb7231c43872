"""A small class whose gradebook is stored as a batch stores it, with reports read off the code: no judge."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import read_assignment
from grader.classroom.batch import find_class
from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.gradebook import Gradebook, StoredRun, open_database
from grader.classroom.publishing import publish
from grader.classroom.reading import ClassReader
from grader.classroom.summary import summary_of, summary_pieces
from grader.classroom.tally import Tally
from grader.report.schema import (
    AssignmentInfo,
    CheckResult,
    Diagnosis,
    EnvironmentInfo,
    ExerciseResult,
    FileInfo,
    Frame,
    IsolationInfo,
    Report,
    ReportNote,
    SubmissionInfo,
)
from grader.review.desk import Desk, open_desk

BEGAN = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)
SAMPLE = Path(__file__).parents[2] / "samples" / "doubling"
SUITE = '''import pytest

@pytest.mark.points({points})
def test_values(student, reference, tensors, assert_close):
    """Every element is right."""
    x = tensors.randn(3, 4)
    assert_close(student.{stem}(x.clone()), reference.{stem}(x), like=x)
'''
GOOD = {path.stem: path.read_text("utf-8") for path in sorted((SAMPLE / "solutions").glob("*.py"))}
# What a made report says of code that holds one of these: outcome, message, misconception.
MISTAKES: Mapping[str, tuple[str, str, str]] = {
    "# squares": ("failed", "Values differ: the largest error is {random}.", "squares_instead"),
    "# adds": ("failed", "Values differ: the largest error is {random}.", ""),
    "# raises": ("raised", "`double.py` line {line}: NameError: name 'y' is not defined.", ""),
}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@dataclass
class MadeClass:
    """`hand_in` files, then `grade` them: reports are made up, everything else is as after `grade batch`."""

    root: Path
    database: str | None = None
    runs: int = 0
    _stack: ExitStack = field(default_factory=ExitStack)

    @property
    def course(self) -> Path:
        return self.root / "course"

    @property
    def input(self) -> Path:
        return self.root / "class"

    @property
    def out(self) -> Path:
        return self.root / "out"

    def hand_in(self, student: str, **files: str) -> Path:
        for stem, text in {**GOOD, **files}.items():
            write(self.input / student / f"{stem}.py", text)
        return self.input / student

    def grade(self, *, status: str = "graded", only: tuple[str, ...] = ()) -> None:
        """One run over the class, or over those in `only`."""
        folder, settings = BatchFolder(self.out), self._settings()
        assignment = read_assignment(self.course)
        discovery = find_class(settings, assignment)
        tally = Tally()
        with open_database(self.database or folder.gradebook) as engine, ClassReader() as reader:
            book = Gradebook(engine, settings.id)
            book.enter_class(settings, assignment.title, discovery.found)
            runs = []
            for found in discovery.found:
                if not only or found.id in only:
                    files = {one.path: one.sha256 for one in reader.load(found, assignment).files}
                    texts = {path.name: path.read_text() for path in (self.input / found.id).iterdir()}
                    report = self._report(found.id, files, texts, status)
                    runs.append(StoredRun(report, folder.keep(found.id, report)))
                stored = folder.stored(found.id)
                assert stored is not None
                assert stored.report is not None
                tally.add(stored.report)
            book.record(runs)
            write(folder.summary, "".join(summary_pieces(summary_of(settings, discovery, tally, {}))))
            publish(folder, engine, settings.id, stems=assignment.stems)

    def desk(self, **choices: Any) -> Desk:
        return self._stack.enter_context(open_desk(self.out, self.database, **choices))

    def close(self) -> None:
        self._stack.close()

    def grades_csv(self) -> dict[str, str]:
        """Lines of grades.csv by id."""
        lines = (self.out / "grades.csv").read_text("utf-8").splitlines()[1:]
        return {line.split(",")[0].strip('"'): line for line in lines}

    def _settings(self) -> BatchSettings:
        folder = BatchFolder(self.out)
        known = folder.read_settings()
        if known is not None:
            return known
        settings = BatchSettings(
            id=f"batch-{self.root.name}"[:60], created_at=BEGAN, assignment="small", seed=1,
            assignment_root=str(self.course), paths=(str(self.input),), isolation="process",
        )  # fmt: skip
        self.out.mkdir()
        folder.write_settings(settings)
        return settings

    def _report(self, name: str, files: Mapping[str, str], texts: Mapping[str, str], status: str) -> Report:
        self.runs += 1
        exercises = (
            _exercise("double", "Double", texts["double.py"], (3.0, 1.0), status),
            _exercise("triple", "Triple", texts["triple.py"], (2.0,), status),
        )
        is_ours = status == "needs_regrade"
        notes = [
            ReportNote(text=f"`{path}` line 2: `open` reads or writes files.", path=path, audience="staff")
            for path, text in texts.items()
            if "open(" in text
        ]
        return Report(
            status="needs_regrade" if is_ours else "graded",
            status_reason="The judge died." if is_ours else None,
            score=None if is_ours else sum(one.score or 0.0 for one in exercises),
            max_score=6.0,
            assignment=AssignmentInfo(id="small", title="A small assignment", digest="d"),
            submission=SubmissionInfo(
                id=name,
                files=tuple(FileInfo(path=path, sha256=sha) for path, sha in files.items()),
                notes=tuple(notes),
            ),
            exercises=exercises,
            environment=EnvironmentInfo(
                grader="1", python="3", torch="2", platform="p", isolation=IsolationInfo(level="process")
            ),
            seed=1,
            started_at=BEGAN + timedelta(minutes=self.runs),
            duration_s=1.0,
        )


def _exercise(stem: str, title: str, text: str, points: tuple[float, ...], status: str) -> ExerciseResult:
    names = ("test_values", "test_zero")[: len(points)]
    mistake = next((one for mark, one in MISTAKES.items() if mark in text), None)
    checks = tuple(
        _check(f"{stem}::{name}", most, mistake if name == "test_values" else None, status)
        for name, most in zip(names, points, strict=True)
    )
    is_ours = status == "needs_regrade"
    return ExerciseResult(
        stem=stem,
        title=title,
        status="needs_regrade" if is_ours else "partial" if mistake else "passed",
        score=None if is_ours else sum(check.score or 0.0 for check in checks),
        max_score=sum(points),
        checks=checks,
    )


def _check(name: str, most: float, mistake: tuple[str, str, str] | None, status: str) -> CheckResult:
    outcome, message, misconception = mistake or ("passed", "", "")
    if status == "needs_regrade":
        outcome = "harness_error"
    line = random.randrange(2, 90)
    return CheckResult(
        id=name,
        title="Every element is right." if name.endswith("values") else "Zero stays zero.",
        visibility="hidden",
        outcome=outcome,
        score=None if status == "needs_regrade" else 0.0 if mistake else most,
        max_score=most,
        message=message.format(random=f"{random.random():.5f}", line=line) or None,
        frames=(Frame(where=f"`double.py` line {line}", code="y"),) if outcome == "raised" else (),
        diagnosis=Diagnosis(misconception=misconception, hint="Look again.") if misconception else None,
    )


def make_class(root: Path, database: str | None = None) -> MadeClass:
    write(
        root / "course" / "exercises" / "assignment.toml",
        (SAMPLE / "exercises" / "assignment.toml").read_text("utf-8"),
    )
    for stem, points in (("double", 4), ("triple", 2)):
        stub = f'def {stem}(x):\n    """To do."""\n    raise NotImplementedError\n'
        write(root / "course" / "exercises" / f"{stem}.py", stub)
        write(root / "course" / "solutions" / f"{stem}.py", GOOD[stem])
        suite = SUITE.format(stem=stem, points=points)
        write(root / "course" / "tests" / "hidden" / f"test_{stem}.py", suite)
    return MadeClass(root, database)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[..., MadeClass]]:
    """`made()`: an empty class of a small course, to hand in to and to grade."""
    classes: list[MadeClass] = []

    def make(database: str | None = None) -> MadeClass:
        classes.append(make_class(tmp_path / f"c{len(classes)}", database))
        return classes[-1]

    yield make
    for one in classes:
        one.close()


SQUARES = "# squares\ndef double(x):\n    return x * x\n"
ADDS = "# adds\ndef double(x):\n    return x + 1\n"
RAISES = "# raises\ndef double(x):\n    return y\n"


def hand_in_all(one: MadeClass) -> MadeClass:
    one.hand_in("ada")
    for name in ("ben", "cem", "dan"):
        one.hand_in(name, double=SQUARES)
    for name in ("eve", "fay"):
        one.hand_in(name, double=RAISES)
    one.hand_in("gus", double=ADDS, triple='def triple(x):\n    open("x")\n    return 3 * x\n')
    one.grade()
    return one


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> MadeClass:
    """The class of `graded`, stored once."""
    return hand_in_all(make_class(tmp_path_factory.mktemp("original")))


@pytest.fixture
def graded(original: MadeClass, tmp_path: Path) -> Iterator[MadeClass]:
    """ada is right; ben, cem and dan square; eve and fay raise; gus adds and opens a file."""
    copy = MadeClass(tmp_path / "graded", runs=original.runs)
    shutil.copytree(original.root, copy.root)
    settings = copy.out / "batch.json"
    settings.write_text(settings.read_text().replace(str(original.root), str(copy.root)))
    yield copy
    copy.close()


@pytest.fixture
def desk(graded: MadeClass) -> Desk:
    return graded.desk()
