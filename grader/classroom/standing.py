"""How a batch stands: what is done, out of date, missing or to be graded again. Grades nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any

from rich.text import Text

from grader.catalog import Assignment
from grader.classroom.batch import find_class
from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.reading import ClassReader
from grader.classroom.records import DiscoveryError, Found
from grader.classroom.staleness import NEEDS_REGRADE, NOT_GRADED, current_for, stale_because
from grader.classroom.wording import some_of
from grader.errors import GraderError, SubmissionError
from grader.printable import printable
from grader.records import Submission
from grader.report.terminal import make_console

IDS_SHOWN = 10


@dataclass(frozen=True)
class Standing:
    """`why` says of each submission that is not done why; `problem` is set when the input cannot be read.

    Then `done` are all results, and nothing is said about whether they are out of date.
    """

    settings: BatchSettings
    is_running: bool
    total: int
    done: tuple[str, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    problem: str = ""

    def by_reason(self) -> dict[str, list[str]]:
        """Ids by reason: not graded, to be graded again, then the ways to be out of date."""
        first = {NOT_GRADED: 0, NEEDS_REGRADE: 1}
        reasons: dict[str, list[str]] = {}
        for submission, reason in sorted(self.why.items(), key=lambda item: (first.get(item[1], 2), item)):
            reasons.setdefault(reason, []).append(submission)
        return reasons

    def as_json(self) -> dict[str, Any]:
        return {
            "batch": self.settings.model_dump(mode="json"),
            "is_running": self.is_running,
            "total": self.total,
            "done": list(self.done),
            "not_done": self.by_reason(),
            "gone": list(self.gone),
            "problem": self.problem,
        }


def look_at(folder: BatchFolder, settings: BatchSettings, assignment: Assignment) -> Standing:
    """Compare the results in `folder` with submissions, suites and grader as they are now."""
    stored = folder.stored_ids()
    try:
        found = find_class(settings, assignment).found
    except DiscoveryError as err:
        problem = f"{err.message} {err.hint}".strip()
        return Standing(settings, folder.is_locked(), len(stored), tuple(stored), problem=problem)
    why: dict[str, str] = {}
    current = current_for(assignment, settings)
    with ClassReader() as reader:
        for one in found:
            reason = stale_because(current, folder.stored(one.id), partial(_load, reader, one, assignment))
            if reason:
                why[one.id] = reason
    ids = {one.id for one in found}
    return Standing(
        settings=settings,
        is_running=folder.is_locked(),
        total=len(found),
        done=tuple(one.id for one in found if one.id not in why),
        why=why,
        gone=tuple(one for one in stored if one not in ids),
    )


def _load(reader: ClassReader, found: Found, assignment: Assignment) -> Submission | GraderError:
    try:
        return reader.load(found, assignment)
    except SubmissionError as err:
        return err


def print_standing(standing: Standing, shown: str, stream: IO[str]) -> None:
    """What is done and what is not, with ids."""
    console = make_console(stream)
    if standing.problem:
        console.print(Text(f"The submissions cannot be looked at: {standing.problem}", style="yellow"))
        console.print(Text(f"{len(standing.done)} results are there.", style="bold"))
        return
    for reason, ids in standing.by_reason().items():
        console.print(Text(f"{len(ids)}: {reason}: {some_of(ids, IDS_SHOWN)}"))
    if standing.gone:
        console.print(
            Text(f"{len(standing.gone)}: no longer in the input (kept): {some_of(standing.gone, IDS_SHOWN)}")
        )
    if standing.is_running:
        console.print(Text("A batch is at work here now.", style="yellow"))
    console.print(Text(f"{len(standing.done)} of {standing.total} done", style="bold"))
    if standing.why and not standing.is_running:
        console.print(Text(f"`grade batch -o {printable(shown, one_line=True)}` grades the others."))
