"""A gradebook of any size without grading: reports with likely mistakes, stored as a batch stores them."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from pathlib import Path

from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.gradebook import Gradebook, StoredRun, open_database
from grader.classroom.publishing import publish
from grader.classroom.records import Found, Identity
from grader.report.schema import (
    AssignmentInfo,
    CheckResult,
    Diagnosis,
    EnvironmentInfo,
    ExerciseResult,
    FileInfo,
    IsolationInfo,
    Report,
    ReportNote,
    SubmissionInfo,
)

STEMS = ("first", "second", "third", "fourth", "fifth")
CHECKS = 9  # of each exercise
POINTS = 2.0  # of each check
RUNS_AT_ONCE = 100
WRONG_SHARE = 0.35
BEGAN = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)
NAMES = ("Ada", "Ben", "Cem", "Dana", "Eşref", "Fen", "Gül", "Håkon", "Ines", "Jöran", "Kim", "Lê", "Mei")
MISTAKES = ("no_scale", "wrong_axis", "mask_ignored", "softmax_over_queries", "off_by_one")
NOTES = ("reads or writes files", "runs text as code", "uses the network")


def make_class(folder: Path, size: int, *, seed: int = 1) -> BatchSettings:
    """A batch of `size` submissions in `folder`: settings, results, gradebook and grades, but no input."""
    settings = BatchSettings(
        id="made", created_at=BEGAN, assignment="made", assignment_root=str(folder), seed=1
    )
    batch = BatchFolder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    batch.write_settings(settings)
    rng = random.Random(seed)
    with open_database(batch.gradebook) as engine:
        book = Gradebook(engine, settings.id)
        people = [_person(number, rng) for number in range(size)]
        book.enter_class(settings, "A made assignment", people)
        runs: list[StoredRun] = []
        for number, person in enumerate(people):
            report = make_report(person.id, number, rng)
            runs.append(StoredRun(report, batch.keep(person.id, report)))
            if len(runs) == RUNS_AT_ONCE:
                book.record(runs)
                runs = []
        book.record(runs)
        publish(batch, engine, settings.id, stems=STEMS)
    return settings


def _person(number: int, rng: random.Random) -> Found:
    name = f"{rng.choice(NAMES)} {rng.choice(NAMES)}son {number}"
    student = Identity(
        name=name, login=f"u{number}", email=f"u{number}@example.edu", section=f"{number % 12}"
    )
    return Found(f"s{number:05d}", student, (), late=number % 17 == 0, when="2026-01-04")


def make_report(submission: str, number: int, rng: random.Random) -> Report:
    exercises = tuple(_exercise(stem, rng) for stem in STEMS)
    notes = [
        ReportNote(text=f"`a.py` line {number % 90 + 1}: `x` {note}.", path="a.py", audience="staff")
        for note in NOTES
        if rng.random() < 0.05
    ]
    return Report(
        status="graded",
        score=sum(exercise.score or 0.0 for exercise in exercises),
        max_score=len(STEMS) * CHECKS * POINTS,
        assignment=AssignmentInfo(id="made", title="A made assignment", digest="d"),
        submission=SubmissionInfo(
            id=submission, files=(FileInfo(path="a.py", sha256=f"{number:064x}"),), notes=tuple(notes)
        ),
        exercises=exercises,
        environment=EnvironmentInfo(
            grader="1", python="3", torch="2", platform="p", isolation=IsolationInfo(level="strict")
        ),
        seed=1,
        started_at=BEGAN + timedelta(seconds=number),
        duration_s=1.0,
    )


def _exercise(stem: str, rng: random.Random) -> ExerciseResult:
    mistake = rng.choice(MISTAKES) if rng.random() < WRONG_SHARE else ""
    wrong = set(rng.sample(range(CHECKS), MISTAKES.index(mistake) + 1)) if mistake else set()
    if mistake and rng.random() < 0.8:
        wrong = set(range(MISTAKES.index(mistake) + 1))
    checks = tuple(_check(stem, number, mistake if number in wrong else "") for number in range(CHECKS))
    score = sum(check.score or 0.0 for check in checks)
    return ExerciseResult(
        stem=stem,
        title=f"The {stem} exercise",
        status="passed" if not wrong else "partial",
        score=score,
        max_score=CHECKS * POINTS,
        checks=checks,
    )


def _check(stem: str, number: int, mistake: str) -> CheckResult:
    return CheckResult(
        id=f"{stem}::test_{number}",
        title=f"Property {number} of {stem} holds.",
        visibility="hidden" if number % 2 else "public",
        outcome="failed" if mistake else "passed",
        score=0.0 if mistake else POINTS,
        max_score=POINTS,
        message=f"Values differ: the largest error is {random.random():.4f}." if mistake else None,
        diagnosis=Diagnosis(misconception=mistake, hint="Look again.") if mistake and number == 0 else None,
    )
