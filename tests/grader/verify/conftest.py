"""Copies of a small assignment about other things, to be proved and to be broken."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.catalog import read_assignment
from grader.verify import VerifyOptions, verify_assignment
from grader.verify.schema import Proof

SAMPLE = Path(__file__).parent / "sample_assignment"
# Its suites are run by the grader, not by our own pytest.
collect_ignore = [SAMPLE.name]


@dataclass(frozen=True)
class Sample:
    """A copy on disk; `edit` insists that there is something to replace."""

    root: Path

    def edit(self, path: str, *replacements: tuple[str, str]) -> None:
        file = self.root / path
        text = file.read_text("utf-8")
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new)
        file.write_text(text, "utf-8")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def cut_check(self, path: str, name: str) -> None:
        """Delete one check, markers and all."""
        file = self.root / path
        blocks = file.read_text("utf-8").split("\n\n\n")
        kept = [block for block in blocks if f"def {name}(" not in block]
        assert len(kept) == len(blocks) - 1
        file.write_text("\n\n\n".join(kept) + "\n", "utf-8")


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    shutil.copytree(SAMPLE, tmp_path / "sample", ignore=shutil.ignore_patterns("__pycache__"))
    return Sample(tmp_path / "sample")


Prove = Callable[..., Proof]


@pytest.fixture
def prove(sample: Sample) -> Prove:
    """Proves the copy, or one exercise of it."""

    def run(*stems: str, wheat_seeds: int = 1, chaff_seeds: int = 1) -> Proof:
        options = VerifyOptions(wheat_seeds, chaff_seeds, stems)
        return verify_assignment(read_assignment(sample.root), options)

    return run
