"""What the desk shows and takes: frozen records. Texts of students are as stored: escape on output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from grader.classroom.gradebook import Action, Comment, Grade
from grader.classroom.gradebook.grades import RunInfo
from grader.errors import GraderError
from grader.records import CellLine
from grader.report.schema import CheckResult, Report

if TYPE_CHECKING:
    from grader.review.desk_query import Query


class DeskError(GraderError):
    """What was asked makes no sense here; nothing was written."""


class NoSuchSubmission(DeskError):
    """The batch has no submission of that id."""


class ReadOnlyError(DeskError):
    """The desk was opened for reading."""


class ConflictError(DeskError):
    """Somebody acted on the same thing meanwhile; nothing was written.

    `meanwhile` has what happened since, newest first.
    """

    def __init__(self, meanwhile: tuple[Action, ...]) -> None:
        last = meanwhile[0]
        super().__init__(
            f"{last.who} has acted on the same thing since you looked: {last.what}",
            hint="Nothing of yours was written. Look at it, and do it again if you still want to.",
        )
        self.meanwhile = meanwhile


@dataclass(frozen=True)
class Line:
    """One submission in the list of a class.

    `exercises` has the scores that count by stem. `changed_since_done`: graded again after it was marked
    done. `newer_failed`: a later run needs a regrade. `in_class` is False when it has left the input.
    """

    id: str
    name: str
    login: str
    section: str
    members: tuple[str, ...]
    status: str
    score: float | None
    max_score: float
    exercises: Mapping[str, float | None]
    submitted: str
    late: bool
    attempt: int
    is_overridden: bool
    comments: int
    is_done: bool
    done_by: str
    changed_since_done: bool
    newer_failed: bool
    in_class: bool
    runs: int


@dataclass(frozen=True)
class Listing:
    """One page of a class; `total` counts all that fit, `pages` from 1."""

    lines: tuple[Line, ...]
    total: int
    page: int
    pages: int
    query: Query


@dataclass(frozen=True)
class ExerciseFacet:
    """An exercise; how many submissions have not its full points, and how many have something of it."""

    stem: str
    title: str
    max_score: float
    not_full: int
    track: str
    attempted: int

    @property
    def is_left_out(self) -> bool:
        """Is it an extension of which nobody handed in anything?"""
        return self.track != "core" and not self.attempted


@dataclass(frozen=True)
class CheckFacet:
    """A check, and how often it ended in each way other than passed."""

    id: str
    exercise: str
    title: str
    outcomes: Mapping[str, int]


@dataclass(frozen=True)
class Count:
    key: str
    count: int


@dataclass(frozen=True)
class Facets:
    """What can be filtered for, with counts over the whole class."""

    total: int
    exercises: tuple[ExerciseFacet, ...]
    checks: tuple[CheckFacet, ...]
    misconceptions: tuple[Count, ...]
    notes: tuple[Count, ...]
    statuses: Mapping[str, int]
    done: int


@dataclass(frozen=True)
class Bin:
    """`low` <= score < `high`; the last one holds `high` too."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Distribution:
    """How the scores lie; `mean` and `median` are None without any."""

    bins: tuple[Bin, ...]
    count: int
    without_score: int
    mean: float | None
    median: float | None
    max_score: float


@dataclass(frozen=True)
class Cluster:
    """Submissions that fail one exercise alike.

    `title` says how in words; `text` is the error as staff reads it, from the submission of the first
    member. `checks` are the ids of the checks that are not passed. `done` counts members marked done.
    """

    key: str
    exercise: str
    exercise_title: str
    title: str
    text: str
    misconception: str
    checks: tuple[str, ...]
    check_titles: tuple[str, ...]
    size: int
    members: tuple[str, ...]
    done: int


@dataclass(frozen=True)
class OverrideView:
    """A person's points that count now, in place of the grader's."""

    points: float
    who: str
    why: str
    made_at: datetime
    action: int | None


@dataclass(frozen=True)
class CheckView:
    """A check as the grader gave it, and the score that counts."""

    result: CheckResult
    score: float | None
    override: OverrideView | None = None


@dataclass(frozen=True)
class ExerciseView:
    """`score` counts, `given` is the grader's. `cluster` is the key of those that fail alike, or empty."""

    stem: str
    title: str
    track: str
    status: str
    score: float | None
    given: float | None
    max_score: float
    override: OverrideView | None
    checks: tuple[CheckView, ...]
    cluster: str = ""


@dataclass(frozen=True)
class SubmissionView:
    """All there is to one submission. `report` is that of the run that counts, as the grader gave it.

    `runs` and `history` begin with the newest.
    """

    id: str
    person: Mapping[str, Any]
    grade: Grade
    report: Report | None
    exercises: tuple[ExerciseView, ...]
    runs: tuple[RunInfo, ...]
    comments: tuple[Comment, ...]
    history: tuple[Action, ...]
    version: int
    is_done: bool
    done_by: str
    done_at: datetime | None
    changed_since_done: bool

    @property
    def run(self) -> str:
        """The id of the run that counts; empty if there is none."""
        return self.grade.run


@dataclass(frozen=True)
class Around:
    """The neighbours in a listing; `position` counts from 1 and is 0 for one that is not in it."""

    previous: str | None
    next: str | None
    position: int
    total: int


@dataclass(frozen=True)
class SourceFile:
    """A file as it lies there now.

    `state` compares it with the one that was graded: same, changed, new, gone, or unknown when no run says.
    A notebook is shown as the code that is made of it; `places` maps its lines to cells. `stems` are the
    exercises that are read from it.
    """

    path: str
    text: str
    state: str
    sha256: str = ""
    stems: tuple[str, ...] = ()
    places: Mapping[int, CellLine] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[str, ...]:
        """As Python counts them."""
        return tuple(self.text.split("\n")) if self.text else ()


@dataclass(frozen=True)
class Sources:
    """`problem` says in sentences why nothing (or not everything) can be shown."""

    files: tuple[SourceFile, ...]
    problem: str = ""

    @property
    def is_changed(self) -> bool:
        return any(file.state in ("changed", "new", "gone") for file in self.files)


@dataclass(frozen=True)
class Download:
    """A file as it was handed in."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Acted:
    """What was stored. `warning`: it was, but a file that shows it could not be written."""

    action: Action
    warning: str = ""
