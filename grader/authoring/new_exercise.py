"""Adds an exercise to an assignment: all of its files, or none."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.authoring.skeleton import NewFile, Wish, write_entry, write_skeleton
from grader.catalog import ASSIGNMENT_FILE, Assignment, read_assignment
from grader.errors import AssignmentError, GraderError
from grader.printable import printable
from grader.report.writing import write_bytes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class NewExerciseError(GraderError):
    """The exercise cannot be added; nothing was written."""


def add_exercise(root: Path, wish: Wish) -> list[str]:
    """Write the files of a new exercise below `root` and its entry at the end of assignment.toml.

    Comments and everything else in assignment.toml stay as they are. Returns the paths written, relative.

    Raises:
        NewExerciseError: the exercise or one of its files is there already, a name cannot be used, or a file
            cannot be written; nothing is left behind.
    """
    before = _read_toml(root)
    after = _append(before, write_entry(wish))
    problems = list(_clashes(before, wish)) or list(_refusals(after, wish))
    files = write_skeleton(wish) if not problems else []
    problems += [f"`{file.path}` is there already" for file in files if (root / file.path).exists()]
    if problems:
        raise NewExerciseError(f"Nothing was written: {'; '.join(problems)}.")
    _write_all(root, files, after)
    return [*(file.path for file in files), ASSIGNMENT_FILE.as_posix()]


def _read_toml(root: Path) -> str:
    path = root / ASSIGNMENT_FILE
    try:
        text = path.read_bytes().decode("utf-8")
        tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as err:
        raise NewExerciseError(f"`{path}` cannot be read: {err}. Nothing was written.") from err
    return text


def _append(text: str, entry: str) -> str:
    ending = "\r\n" if "\r\n" in text else "\n"
    return f"{text.rstrip()}{ending}{ending}{entry.replace(chr(10), ending)}"


def _clashes(before: str, wish: Wish) -> Iterator[str]:
    """What the assignment has already."""
    listed = tomllib.loads(before).get("exercises", [])
    if not isinstance(listed, list):
        return
    known = [entry for entry in listed if isinstance(entry, dict)]
    if any(entry.get("stem") == wish.stem for entry in known):
        yield f"`{printable(wish.stem, 60)}` is an exercise of this assignment already"
    for entry in known:
        taken = set(wish.symbols) & {name for name in entry.get("symbols", ()) if isinstance(name, str)}
        if taken and entry.get("stem") != wish.stem:
            yield f"`{'`, `'.join(sorted(taken))}` is defined by the exercise `{entry.get('stem')}`"


def _refusals(after: str, wish: Wish) -> Iterator[str]:
    """What the catalogue says of the file as it would be."""
    if not wish.title.isprintable():
        yield "the title holds a character that cannot be shown"
        return
    with tempfile.TemporaryDirectory(prefix="grade-new-") as folder:
        path = Path(folder) / ASSIGNMENT_FILE
        path.parent.mkdir()
        path.write_bytes(after.encode())
        try:
            read = read_assignment(Path(folder))
        except AssignmentError as err:
            yield from err.problems or (err.message.replace(str(path), ASSIGNMENT_FILE.as_posix()),)
            return
    yield from _changed(read, wish)


def _changed(read: Assignment, wish: Wish) -> Iterator[str]:
    last = read.exercises[-1]
    found = (last.stem, last.title, last.points, last.track, last.symbols)
    if found != (wish.stem, wish.title, wish.points, wish.track, tuple(wish.symbols)):
        yield "the entry does not read back as it was written"


def _write_all(root: Path, files: list[NewFile], toml: str) -> None:
    made: list[Path] = []
    try:
        for file in files:
            path = root / file.path
            missing = [folder for folder in path.parents if not folder.exists()]
            path.parent.mkdir(parents=True, exist_ok=True)
            made += reversed(missing)
            with path.open("x", encoding="utf-8", newline="\n") as handle:
                made.append(path)
                handle.write(file.text)
        write_bytes(root / ASSIGNMENT_FILE, toml.encode())
    except BaseException as err:
        for path in reversed(made):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        if isinstance(err, OSError):
            raise NewExerciseError(
                f"`{err.filename}` cannot be written: {err.strerror}. Nothing is left behind."
            ) from err
        raise
