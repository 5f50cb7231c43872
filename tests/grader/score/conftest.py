"""A small assignment on disk, and hand-written runs of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.catalog import Assignment, read_assignment
from grader.records import (
    CellLine,
    ExerciseRun,
    ExerciseSource,
    Note,
    Problem,
    SourceText,
    Submission,
    SubmittedFile,
    SuiteRun,
)
from grader.report.schema import Report, report_json_schema
from grader.report.writing import dump_report, read_report
from grader.score import score_run

TOML = """
id = "tiny"
title = "A tiny assignment"
[[exercises]]
stem = "alpha"
title = "Alpha"
points = 6
symbols = ["alpha"]
[[exercises]]
stem = "beta"
title = "Beta"
points = 4
symbols = ["Beta"]
uses = ["alpha"]
[[exercises]]
stem = "gamma"
title = "Gamma"
points = 5
symbols = ["gamma"]
track = "extension"
"""
STARTED = datetime(2025, 3, 1, 12, 0, tzinfo=timezone.utc)


def _entry(stem: str, name: str, points: float, visibility: str = "hidden", **more: Any) -> dict[str, Any]:
    return {
        "stem": stem,
        "name": name,
        "title": f"{name} of {stem}.",
        "visibility": visibility,
        "points": points,
        "hint": f"Look at {name}.",
        "needs": [],
        **more,
    }


CATALOGUE = (
    _entry("alpha", "test_shape", 2.0, "public"),
    _entry("alpha", "test_values", 4.0),
    _entry("beta", "test_layers", 1.0, "public"),
    _entry("beta", "test_values", 3.0),
    _entry("gamma", "test_values", 5.0),
)


@dataclass
class RunBuilder:
    """A run in which everything passes, until a test says otherwise."""

    assignment: Assignment
    catalogue: list[dict[str, Any]] = field(default_factory=lambda: [dict(entry) for entry in CATALOGUE])
    cases: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    problems: dict[str, Problem] = field(default_factory=dict)
    exercise_runs: dict[str, ExerciseRun] = field(default_factory=dict)
    sources: dict[str, SourceText] = field(default_factory=dict)
    exit_code: int | None = 0
    notes: tuple[Note, ...] = ()

    def end(self, check: str, outcome: str, **more: Any) -> None:
        """The check "stem::name" ends with this outcome in its only case."""
        self.cases[tuple(check.split("::"))] = [{"outcome": outcome, **more}]  # type: ignore[index]

    def end_cases(self, check: str, *cases: Mapping[str, Any]) -> None:
        self.cases[tuple(check.split("::"))] = [dict(case) for case in cases]  # type: ignore[index]

    def submission(self) -> Submission:
        exercises = {}
        for stem in self.assignment.stems:
            problem = self.problems.get(stem)
            source = self.sources.get(stem, SourceText(stem, f"{stem}.py", "x = 1\n", "x = 1\n"))
            exercises[stem] = ExerciseSource(stem, None if problem else source, problem)
        files = (SubmittedFile("alpha.py", "0" * 64),)
        return Submission("sub", "/nowhere", files, exercises, {}, (Note("A note on the whole."),))

    def run(self) -> SuiteRun:
        tests = [test for entry in self.catalogue for test in self._tests(entry)]
        report = {"exitcode": self.exit_code, "tests": tests, "checks": self.catalogue}
        environment = {
            "python": "3.11.0",
            "torch": "2.13.0",
            "platform": "Linux",
            "devices": ["cpu", "pretend"],
            "isolation": {
                "level": "auto",
                "layers": ["process", {"name": "seccomp", "active": True}, {"name": "lock", "active": False}],
                "missing": ["lock"],
            },
        }
        return SuiteRun(report, environment, self.exercise_runs, {"start": 1.0}, self.notes)

    def _tests(self, entry: Mapping[str, Any]) -> list[dict[str, Any]]:
        stem, name = entry["stem"], entry["name"]
        if stem in self.problems:
            return []
        tests = []
        for case in self.cases.get((stem, name), [{"outcome": "passed"}]):
            check = {
                "stem": stem,
                "name": name,
                "case": "",
                "message": "",
                "frames": [],
                "diagnosis": None,
                "devices": {"cpu": "passed" if case["outcome"] == "passed" else "failed"},
                "duration_s": 0.01,
                "staff_message": "",
                **case,
            }
            outcome = "passed" if case["outcome"] == "passed" else "failed"
            tests.append({"nodeid": f"{stem}::{name}", "outcome": outcome, "metadata": {"check": check}})
        return tests

    def score(self, **options: Any) -> Report:
        return self.score_of(self.run(), **options)

    def score_of(self, run: SuiteRun, **options: Any) -> Report:
        """The report, which is valid against its schema and reads back as itself."""
        report = score_run(
            self.assignment, self.submission(), run, seed=7, started_at=STARTED, duration_s=1.25, **options
        )
        text = dump_report(report, "staff")
        again = read_report(text)
        assert dump_report(again, "staff") == text
        jsonschema.validate(again.model_dump(mode="json"), report_json_schema())
        return report

    def score_with(self, **changes: Any) -> Report:
        """The report of a pytest report with these top-level entries changed."""
        run = self.run()
        return self.score_of(replace(run, pytest_report={**run.pytest_report, **changes}))


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "assignment.toml").write_text(TOML)
    (tmp_path / "tests" / "hidden").mkdir(parents=True)
    (tmp_path / "tests" / "hidden" / "test_alpha.py").write_text("")
    return read_assignment(tmp_path)


@pytest.fixture
def build(assignment: Assignment) -> RunBuilder:
    return RunBuilder(assignment)


@pytest.fixture
def notebook_source() -> Callable[[], SourceText]:
    def make() -> SourceText:
        cells = {1: CellLine(3, 1), 2: CellLine(3, 2), 3: CellLine(8, 1)}
        return SourceText("alpha", "hw.ipynb", "a\nb\nc\n", None, cells, (Note("Left out a magic.", line=4),))

    return make
