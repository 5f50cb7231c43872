"""What discovery brings back: frozen records in which every entry of the input has exactly one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.errors import GraderError
from grader.printable import printable

EntryKind = Literal["file", "empty folder", "link", "special", "not entered", "refused"]


class DiscoveryError(GraderError):
    """What was named as a class's submissions cannot be read as such; nothing was graded."""


class UsageError(GraderError):
    """What was asked for cannot be: wrong usage, and nothing is written."""


class UnknownNameError(DiscoveryError, UsageError):
    """An option names a layout that there is not, or a roster that is none."""


@dataclass(frozen=True)
class Entry:
    """One thing that lies in the input: `parts` is its raw path below the path that was given.

    `container` is where it lies on disk; in a zip file `member` is its number there, else -1. `size` counts
    bytes, `packed` those in the archive where known; `modified` is in seconds of an unknown time zone, 0.0
    if unknown. `problem` says why it is not a plain file, as the end of a sentence.
    """

    parts: tuple[str, ...]
    kind: EntryKind
    container: str
    member: int = -1
    size: int = 0
    packed: int | None = None
    modified: float = 0.0
    problem: str = ""

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    @property
    def shown(self) -> str:
        """The path, safe to print."""
        return printable(self.path, 400, one_line=True)


@dataclass(frozen=True)
class Placed:
    """An entry and its path inside the submission, under the name that the student gave it."""

    path: str
    entry: Entry


@dataclass(frozen=True)
class Identity:
    """Who it is, as far as the input or the roster says. All strings: leading zeros matter.

    `lms_id` is the number under which the LMS knows the student, `sis_id` that of the university;
    `participant` is Moodle's number for one assignment only.
    """

    name: str = ""
    login: str = ""
    lms_id: str = ""
    sis_id: str = ""
    email: str = ""
    section: str = ""
    participant: str = ""

    @property
    def shown(self) -> str:
        return self.name or self.login or self.email or self.sis_id or self.lms_id or self.participant


@dataclass(frozen=True)
class Older:
    """An earlier attempt of the same student, listed and not graded."""

    files: tuple[Placed, ...]
    when: str = ""
    late: bool = False


@dataclass(frozen=True)
class Found:
    """One submission to grade. `id` is unique in its discovery, also without case, and safe as a file name.

    `attempt` counts from 1. `group` lists all members, including `student`, and is empty for a single
    student. `files` may be empty: then the student handed in nothing.
    """

    id: str
    student: Identity
    files: tuple[Placed, ...]
    late: bool = False
    attempt: int = 1
    when: str = ""
    assignment: str = ""
    group: tuple[Identity, ...] = ()
    older: tuple[Older, ...] = ()
    notes: tuple[str, ...] = ()
    on_roster: bool = False

    @property
    def is_empty(self) -> bool:
        return not any(placed.entry.kind == "file" for placed in self.files)


@dataclass(frozen=True)
class Skipped:
    """An entry that belongs to no submission, and why; `reason` is a full sentence without its subject."""

    path: str
    reason: str


@dataclass(frozen=True)
class Counts:
    """How the entries of the input were spent, and what came of them."""

    entries: int
    graded: int
    older: int
    skipped: int
    submissions: int
    older_attempts: int
    late: int
    empty: int
    groups: int

    @property
    def is_balanced(self) -> bool:
        """Is every entry that came in part of a submission, of an older attempt, or skipped?"""
        return self.entries == self.graded + self.older + self.skipped


@dataclass(frozen=True)
class Discovery:
    """What was found. `why` says how the layout was recognised; the roster's two sides are what is left.

    `not_on_roster` holds ids of submissions, `without_submission` the people of the roster.
    """

    layout: str
    why: str
    found: tuple[Found, ...]
    skipped: tuple[Skipped, ...]
    counts: Counts
    not_on_roster: tuple[str, ...] = ()
    without_submission: tuple[Identity, ...] = ()
    notes: tuple[str, ...] = ()
