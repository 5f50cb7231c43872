"""A class whose scores are known: right solutions of many styles, known mistakes, stubs, hostile code."""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.catalog import Assignment

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))

from run_cases import find_cases, run_cases  # noqa: E402  # a script beside this folder, not a package

WRONG_SHARE = 0.3
# Of the wrong ones: a known mistake, a stub that was never touched, a file that is not there.
_KINDS = ("chaff", "chaff", "chaff", "stub", "missing")
HOSTILE = {
    "endless": "def {symbol}(*args, **kwargs):\n    while True: pass\n",
    "memory_bomb": (
        "import torch\n\n\ndef {symbol}(*args, **kwargs):\n    x = [torch.ones(1 << 28) for _ in range(99)]\n"
    ),
    "segfault": "import ctypes\n\n\ndef {symbol}(*args, **kwargs):\n    ctypes.string_at(0)\n",
    "exits": "import os\n\n\ndef {symbol}(*args, **kwargs):\n    os._exit(0)\n",
}


def core_of(assignment: Assignment) -> Assignment:
    """The exercises that count: what a class hands in."""
    return replace(assignment, exercises=tuple(s for s in assignment.exercises if s.track == "core"))


@dataclass
class Truth:
    """Points by submission and stem; a submission in `rejected` gets none and says why."""

    points: dict[str, dict[str, float]] = field(default_factory=dict)
    rejected: set[str] = field(default_factory=set)
    honest: list[str] = field(default_factory=list)

    def total(self, submission: str) -> float:
        return sum(self.points[submission].values())


class ClassMaker:
    """Knows the project's own right and wrong solutions, and what each wrong one scores."""

    def __init__(self, whole: Assignment, seed: int) -> None:
        self.whole, self.assignment = whole, core_of(whole)
        assignment = self.assignment
        self.seed = seed
        self.wheats = {stem: sorted((TESTS / "wheats" / stem).glob("*.py")) for stem in assignment.stems}
        self.chaffs = {stem: sorted((TESTS / "chaffs" / stem).glob("*.py")) for stem in assignment.stems}
        used = {stem for spec in assignment.exercises for stem in spec.uses}
        self.unused = [stem for stem in assignment.stems if stem not in used]
        self._scores: dict[Path, float] = {}

    def make(self, folder: Path, size: int, *, hostile: bool) -> Truth:
        """Write `size` submissions, a folder each, and one of each hostile kind if asked to."""
        rng, truth = random.Random(f"{self.seed}/{size}"), Truth()
        wrong: list[tuple[str, str, Path]] = []
        for number in range(size):
            name = f"s{number:04d}"
            truth.honest.append(name)
            truth.points[name] = self._right(folder / name, rng)
            if rng.random() < WRONG_SHARE:
                kind = rng.choice(_KINDS)
                # What others build on may be defined in their files too, and would be found there.
                stem = rng.choice(self.assignment.stems if kind == "chaff" else self.unused)
                target = folder / name / f"{stem}.py"
                truth.points[name][stem] = 0.0
                if kind == "chaff":
                    wrong.append((name, stem, self._copy(rng.choice(self.chaffs[stem]), target)))
                elif kind == "stub":
                    self._copy(self.assignment.stub(stem), target)
                else:
                    target.unlink()
        self._look_up([chaff for _, _, chaff in wrong])
        for name, stem, chaff in wrong:
            truth.points[name][stem] = self._scores[chaff]
        if hostile:
            self._add_hostile(folder, rng, truth)
        return truth

    def _right(self, folder: Path, rng: random.Random) -> dict[str, float]:
        folder.mkdir(parents=True)
        for stem in self.assignment.stems:
            self._copy(rng.choice(self.wheats[stem]), folder / f"{stem}.py")
        return {spec.stem: spec.points for spec in self.assignment.exercises}

    @staticmethod
    def _copy(source: Path, target: Path) -> Path:
        shutil.copyfile(source, target)
        return source

    def _look_up(self, chaffs: Sequence[Path]) -> None:
        """What each mistake scores when it is graded alone, outside any batch."""
        new = set(chaffs) - set(self._scores)
        cases = [case for case in find_cases(TESTS / "chaffs", self.assignment.stems) if case.path in new]
        for result in run_cases(self.whole, cases, seed=self.seed):
            if result.problem:
                raise SystemExit(f"{result.case.path} cannot be graded alone: {result.problem}")
            self._scores[result.case.path] = result.score

    def _add_hostile(self, folder: Path, rng: random.Random, truth: Truth) -> None:
        """Each in the first exercise; what the others do with it is theirs and right."""
        first = self.assignment.exercises[0]
        for name, text in HOSTILE.items():
            truth.points[name] = self._right(folder / name, rng)
            truth.points[name][first.stem] = 0.0
            (folder / name / f"{first.stem}.py").write_text(text.format(symbol=first.symbols[0]))
        for name in ("corrupt", "empty"):
            (folder / name).mkdir()
            truth.points[name] = dict.fromkeys(self.assignment.stems, 0.0)
            truth.rejected.add(name)
        (folder / "corrupt" / "work.zip").write_bytes(b"PK\x03\x04 broken")


def differences(truth: Truth, scores: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """Every submission whose points are not what they must be, in words."""
    wrong = [f"{name}: not graded" for name in truth.points if name not in scores]
    wrong += [f"{name}: was never handed in" for name in scores if name not in truth.points]
    for name, points in truth.points.items():
        for stem, expected in points.items():
            found = scores.get(name, {}).get(stem, expected)
            if found is None or abs(found - expected) > 1e-6:
                wrong.append(f"{name} {stem}: {found} instead of {expected}")
    return wrong
