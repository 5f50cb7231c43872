"""A small assignment with known mistakes, and checks that ended in a given way, without any worker."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from grader.catalog import read_assignment
from grader.diagnose import Diagnoser, Finding
from grader.errors import Outcome
from grader.student.calls import Call, Made
from grader.student.handle import Student
from grader.suite.checks import CheckInfo
from grader.suite.reference import load_references
from grader.suite.verdict import Verdict

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}


@dataclass
class Seen:
    """What a check of the sample exercise did; stands for a handle on a worker."""

    calls: list[Call] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)
    device: str = "cpu"


@dataclass
class Bench:
    """Checks are told to the diagnoser with `ended`; `conclude` gives what it says about each."""

    diagnoser: Diagnoser
    stem: str

    def ended(
        self, name: str, *calls: Call, outcome: Outcome = "failed", reason: str = "values", **more: Any
    ) -> None:
        info = CheckInfo(self.stem, name, name, "hidden", 1.0, "", (), False, more.get("marks", ()))
        verdict = Verdict(outcome, "off", reason=reason, misconception=more.get("misconception", ""))
        seen = Seen([*calls], [*more.get("made", ())], more.get("device", "cpu"))
        case_id = f"{name}[{seen.device}]"
        self.diagnoser.remember(case_id, info, verdict, cast(Student, seen))

    def conclude(self) -> dict[str, Finding]:
        return {case_id.partition("[")[0]: f for case_id, f in self.diagnoser.conclude(self.stem).items()}

    def names(self) -> dict[str, str]:
        return {case_id: finding.misconception for case_id, finding in self.conclude().items()}


MakeBench = Callable[..., Bench]


@pytest.fixture
def bench(tmp_path: Path) -> MakeBench:
    """`bench(stem, reference=..., misconceptions=..., symbols=...)`, on an assignment of its own."""

    def make(stem: str, *, reference: str, misconceptions: str, symbols: str = '"f"', **more: Any) -> Bench:
        (tmp_path / "exercises").mkdir()
        (tmp_path / "solutions" / "misconceptions").mkdir(parents=True)
        (tmp_path / "exercises" / "assignment.toml").write_text(
            f'id = "small"\ntitle = "Small"\n[[exercises]]\nstem = "{stem}"\ntitle = "One"\npoints = 2\n'
            f"symbols = [{symbols}]\n"
        )
        (tmp_path / "solutions" / f"{stem}.py").write_text(textwrap.dedent(reference))
        (tmp_path / "solutions" / "misconceptions" / f"{stem}.py").write_text(textwrap.dedent(misconceptions))
        assignment = read_assignment(tmp_path)
        return Bench(Diagnoser(assignment, load_references(assignment), {stem: TOLERANCES}, **more), stem)

    return make
