"""What is to be checked: from a path, or from nothing but the folder that the reader stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.catalog import ASSIGNMENT_FILE, Assignment, find_assignment
from grader.errors import NoAssignmentError
from grader.load.names import bare_name, kind_of
from grader.printable import printable

MAX_LOOKED_AT = 200
MAX_NAMED = 3


@dataclass(frozen=True)
class Place:
    """A submission at `path`, seen as a student's own: `exercises` are the chosen stems, all if empty."""

    assignment: Assignment
    path: Path
    exercises: tuple[str, ...] = ()


def find_place(path: Path | None, assignment_folder: Path | None = None) -> Place:
    """Where the student's code is, and the assignment that it answers.

    Without `path` it is the `exercises/` of the assignment that the current folder lies in. The folder above
    `exercises/` stands for it; a file named after an exercise stands for its folder, of which only that
    exercise is checked, because exercises may import each other.

    Raises:
        NoAssignmentError: no assignment is found, with where one is, if it is near.
        AssignmentError: the one found is broken.
    """
    explicit = None if assignment_folder is None else str(assignment_folder)
    if path is None:
        assignment = _find(explicit, Path.cwd())
        return Place(assignment.as_handout(), _own_code(assignment))
    submission = path / "exercises" if (path / ASSIGNMENT_FILE).is_file() else path
    found = _find(explicit, Path.cwd(), submission.resolve().parent, submission=submission)
    assignment = found.as_handout()
    stem = bare_name(submission.name)
    if kind_of(submission.name) == "script" and stem in assignment.stems and not submission.is_dir():
        return Place(assignment, submission.parent, (stem,))
    return Place(assignment, submission)


def _own_code(assignment: Assignment) -> Path:
    """`exercises/`; the current folder where the assignment's folder was named and lies elsewhere."""
    here = Path.cwd()
    if here.resolve().is_relative_to(assignment.root.resolve()):
        return shortened(assignment.root / "exercises")
    return here


def shortened(path: Path) -> Path:
    """`path` from the current folder where that is shorter, so that messages are."""
    try:
        relative = path.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        return path
    return relative if relative.parts else path


def _find(explicit: str | None, *starts: Path, submission: Path | None = None) -> Assignment:
    try:
        return find_assignment(explicit, *starts, submission=submission)
    except NoAssignmentError as err:
        near = [f"`{printable(str(shortened(folder)), 200, one_line=True)}`" for folder in _near(starts[-1])]
        if explicit or not near:
            raise
        hint = f"There is one in {' and in '.join(near[:MAX_NAMED])}: go there with `cd`, or name it."
        raise NoAssignmentError(err.message, hint=hint) from err


def _near(folder: Path) -> Iterator[Path]:
    """Folders with an assignment one or two levels below `folder`."""
    looked_at = 0
    waiting = [(folder, 0)]
    while waiting:
        current, depth = waiting.pop(0)
        for child in _folders(current):
            looked_at += 1
            if looked_at > MAX_LOOKED_AT:
                return
            if (child / ASSIGNMENT_FILE).is_file():
                yield child
            elif depth == 0:
                waiting.append((child, 1))


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(c for c in folder.iterdir() if not c.name.startswith(".") and c.is_dir())
    except OSError:
        return []
