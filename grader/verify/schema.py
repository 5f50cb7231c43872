"""What `grade verify` finds, as records; `--json` prints them and `--schema` their JSON Schema.

A proof is about one assignment. `is_proved` is true exactly when `problems` is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.records import Visibility

SCHEMA_VERSION: Literal["1.0"] = "1.0"


class ProofRecord(BaseModel):
    """Base of all parts: frozen, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ProofProblem(ProofRecord):
    """One thing that the author has to put right: where it is, what is wrong, what to do."""

    path: str = Field(description="The file, relative to the assignment's folder.")
    line: int | None = Field(default=None, ge=1)
    exercise: str = Field(default="", description="The stem; empty if it concerns no single exercise.")
    message: str
    advice: str

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}" if self.line is not None else self.path


class CheckProof(ProofRecord):
    """One check and the chaffs that show what it is good for."""

    name: str
    title: str
    visibility: Visibility
    points: float
    accelerator: bool = Field(description="It runs on the CPU and again on another device.")
    catches: tuple[str, ...] = Field(default=(), description="Chaffs that it catches with every seed.")
    only_catcher_of: tuple[str, ...] = Field(default=(), description="Chaffs that no other check catches.")


class CaseProof(ProofRecord):
    """One solution and what it earned: `score` is the lowest over the seeds for a wheat or reference, the
    highest for everything else."""

    name: str
    kind: Literal["stub", "reference", "wheat", "chaff", "null"]
    path: str
    seeds: int = Field(ge=0, description="With how many seeds it was graded; 0 if it was not run.")
    score: float
    max_score: float
    caught_by: tuple[str, ...] = Field(default=(), description="Checks that fail with every seed.")
    only_catcher: str | None = Field(default=None, description="The one check that catches this chaff.")
    diagnosis: tuple[str, ...] = Field(default=(), description="Known mistakes that were named, by name.")
    label: str = ""


class MarginProof(ProofRecord):
    """How far a tolerance is from right and from wrong code; errors are absolute, and relative for expected
    values beyond 1 in size. A tolerance holds if 3 * worst_wheat <= tolerance <= nearest_chaff / 10."""

    dtype: str
    tolerance: float
    worst_wheat: float
    worst_wheat_name: str
    nearest_chaff: float | None = Field(description="None if no chaff fails by values here.")
    nearest_chaff_name: str = ""
    is_measured: bool = Field(description="False if no right code was compared with this tolerance.")


class ExerciseProof(ProofRecord):
    stem: str
    title: str
    points: float
    checks: tuple[CheckProof, ...]
    cases: tuple[CaseProof, ...]
    margins: tuple[MarginProof, ...]


class Seeds(ProofRecord):
    """With how many seeds each kind was graded. Seeds are 1, 2, 3, ...: a proof can be repeated."""

    wheats: int
    chaffs: int


class Proof(ProofRecord):
    """The whole of `grade verify --json`."""

    model_config = ConfigDict(title="Proof of an assignment by the attention grader")
    schema_version: Literal["1.0"] = SCHEMA_VERSION
    is_proved: bool
    assignment: str
    digest: str = Field(default="", description="Changes whenever anything changes that decides a score.")
    seeds: Seeds = Seeds(wheats=0, chaffs=0)
    exercises: tuple[ExerciseProof, ...] = ()
    problems: tuple[ProofProblem, ...]
    notes: tuple[str, ...] = ()
    runs: int = Field(default=0, description="How many times an exercise was graded.")
    duration_s: float = 0.0


def broken_assignment(messages: Sequence[str]) -> Proof:
    """What can be said when `assignment.toml` itself cannot be used."""
    problems = (
        ProofProblem(path="exercises/assignment.toml", message=message, advice="Correct it; nothing was run.")
        for message in messages
    )
    return Proof(is_proved=False, assignment="", problems=tuple(problems))


def proof_json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `grade verify --json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Proof.model_json_schema(mode="serialization"),
    }
