"""What a batch and a worker must agree on, and what they send each other, as JSON text."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from grader.catalog import Assignment, find_assignment
from grader.classroom.engine import engine_version
from grader.classroom.judges import Judged, JudgeSettings
from grader.errors import GraderError, HarnessError
from grader.judge.transport import run_from_json, run_to_json, submission_from_json, submission_to_json
from grader.records import Submission


class RefusalError(GraderError):
    """A worker does not judge for this batch, and never will; another one may. Survives pickling.

    `is_leaving`: for no other reason than that it is shutting down.
    """

    def __init__(self, message: str, *, hint: str = "", worker: str = "", is_leaving: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.worker = worker
        self.is_leaving = is_leaving


@dataclass(frozen=True)
class Terms:
    """The same for every submission of a batch.

    `grader` and `digest` are what the worker must have. It looks for the assignment in `assignment`, a path
    on its own machine; if that is empty in its GRADE_ASSIGNMENT, then at `root`, where the batch has it.
    """

    grader: str
    digest: str
    assignment: str
    root: str
    settings: JudgeSettings


class Request(NamedTuple):
    terms: Terms
    submission: Submission


def terms_for(assignment: Assignment, settings: JudgeSettings, place: str | None) -> Terms:
    return Terms(engine_version(), assignment.digest, place or "", str(assignment.root), settings)


def pack_terms(terms: Terms) -> str:
    return json.dumps(asdict(terms))


def unpack_terms(text: str) -> Terms:
    record = json.loads(text)
    chosen = record.pop("settings")
    chosen["exercises"] = tuple(chosen["exercises"])
    return Terms(**record, settings=JudgeSettings(**chosen))


def pack_request(terms: Terms, submission: Submission) -> str:
    return json.dumps({"terms": pack_terms(terms), "submission": submission_to_json(submission)})


def unpack_request(text: str) -> Request:
    record = json.loads(text)
    return Request(unpack_terms(record["terms"]), submission_from_json(record["submission"]))


def pack_reply(judged: Judged) -> str:
    """Everything but the submission, which the batch has. The environment is the machine's that judged."""
    outcome = judged.outcome
    here = {"python": platform.python_version(), "platform": platform.platform()}
    record: dict[str, Any] = {
        "environment": {**here, **judged.environment},
        "started_at": judged.started_at.isoformat(),
        "duration_s": judged.duration_s,
    }
    if isinstance(outcome, GraderError):
        record["error"] = {"message": outcome.message, "hint": outcome.hint}
    else:
        record["run"] = run_to_json(outcome)
    return json.dumps(record)


def unpack_reply(text: str, submission: Submission) -> Judged:
    record = json.loads(text)
    return Judged(
        submission=submission,
        outcome=HarnessError(**record["error"]) if "error" in record else run_from_json(record["run"]),
        environment=record["environment"],
        started_at=datetime.fromisoformat(record["started_at"]),
        duration_s=record["duration_s"],
    )


def agree(terms: Terms) -> Assignment:
    """The assignment on this machine, if it and the grader here are the batch's.

    Raises:
        RefusalError: they are not, or there is none. It does not name the worker yet.
    """
    if (here := engine_version()) != terms.grader:
        raise RefusalError(
            f"it has the grader {here}, the batch {terms.grader}",
            hint="Install the same version there and start the worker again.",
        )
    try:
        assignment = find_assignment(terms.assignment or None, Path(terms.root))
    except GraderError as err:
        hint = "Name the assignment's folder on that machine with GRADE_ASSIGNMENT or --cluster-assignment."
        raise RefusalError(f"it has no assignment: {err.message}", hint=hint) from err
    if assignment.digest != terms.digest:
        raise RefusalError(
            f"its assignment `{assignment.root}` has the digest {assignment.digest[:12]}, the batch's has "
            f"{terms.digest[:12]}",
            hint="Give both the same stubs, references and suites.",
        )
    return assignment
