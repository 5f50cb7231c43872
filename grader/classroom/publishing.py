"""What people did, in the files that show it: `grades.csv` and the students' pages.

The gradebook decides; these files follow it. Whoever writes them holds a lock and reads the gradebook inside
it, so that of two writers the last one knows everything.
"""

from __future__ import annotations

import csv
import fcntl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, select

from grader.classroom.folder import BatchFolder
from grader.classroom.gradebook import Grade, tables
from grader.classroom.gradebook.comments import read_comments
from grader.classroom.gradebook.counting import read_grades
from grader.classroom.gradebook.overrides import counting_overrides, read_overrides
from grader.classroom.gradebook.transactions import connected
from grader.classroom.summary import grades_csv
from grader.errors import GraderError
from grader.report.remarks import Changed, Remarks, Said, has_remarks, with_remarks
from grader.report.writing import write_report

_BEFORE, _AFTER = "max_score", "late"  # columns of grades.csv around those of the exercises


def publish(
    folder: BatchFolder,
    engine: Engine,
    batch: str,
    submissions: Iterable[str] | None = None,
    stems: Sequence[str] | None = None,
) -> None:
    """Bring `grades.csv` and the pages of these submissions (all without them) up to date.

    Without `stems` the columns of `grades.csv` stay as they are.

    Raises:
        GraderError: a file cannot be written. GradebookError: the gradebook cannot be read.
    """
    ids = None if submissions is None else list(submissions)
    with _turn(folder), connected(engine) as connection:
        grades = read_grades(connection, batch)
        _write_grades(connection, folder, batch, grades, stems)
        if folder.feedback.is_dir():
            # Of a whole class only those pages are read that somebody has ever done something to.
            wanted = _touched(connection, batch) if ids is None else ids
            _write_pages(folder, read_remarks(connection, batch, grades, wanted))


def publish_pages(folder: BatchFolder, engine: Engine, batch: str, submissions: Iterable[str]) -> None:
    """The pages of these submissions alone, where something was done that changes no grade.

    Raises:
        GraderError: a file cannot be written. GradebookError: the gradebook cannot be read.
    """
    if not folder.feedback.is_dir():
        return
    ids = list(submissions)
    with _turn(folder), connected(engine) as connection:
        grades = read_grades(connection, batch, ids)
        _write_pages(folder, read_remarks(connection, batch, grades, ids))


def read_remarks(
    connection: Connection, batch: str, grades: Iterable[Grade], ids: Sequence[str] | None = None
) -> Mapping[str, Remarks]:
    """What is to be said to the students of these grades, or of those among them that `ids` name."""
    wanted = None if ids is None else set(ids)
    overrides = counting_overrides(read_overrides(connection, batch, ids))
    comments: dict[str, list[Said]] = {}
    for one in read_comments(connection, batch, ids):
        if not one.staff_only:
            said = Said(one.text, one.exercise, one.check, one.path, one.line)
            comments.setdefault(one.submission, []).append(said)
    return {
        grade.submission: Remarks(
            score=grade.score,
            max_score=grade.max_score,
            note=grade_note(grade),
            changed=tuple(
                Changed(exercise, check or "", override.points)
                for (exercise, check), override in overrides.get(grade.submission, {}).items()
                if override.points is not None
            ),
            said=tuple(comments.get(grade.submission, ())),
        )
        for grade in grades
        if wanted is None or grade.submission in wanted
    }


def grade_note(grade: Grade) -> str:
    """What people should know of a grade, in a few words."""
    notes = ["changed by staff"] if grade.is_overridden else []
    if grade.newer_failed:
        notes.append("from before a run that needs a regrade")
    return "; ".join(notes)


@contextmanager
def _turn(folder: BatchFolder) -> Iterator[None]:
    """One writer of these files at a time."""
    try:
        handle = (folder.path / ".publishing").open("a")
    except OSError as err:
        raise GraderError(f"`{folder.path}` cannot be written: {err.strerror}.") from err
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _write_grades(
    connection: Connection,
    folder: BatchFolder,
    batch: str,
    grades: Sequence[Grade],
    stems: Sequence[str] | None,
) -> None:
    standings = tables.standings
    query = select(standings.c.submission).where(standings.c.batch == batch, standings.c.in_class.is_(True))
    there = set(connection.execute(query).scalars())
    columns = _known_stems(folder, grades) if stems is None else stems
    text = grades_csv([grade for grade in grades if grade.submission in there], columns)
    if _read(folder.grades) != text:
        write_report(folder.grades, text, durable=False)  # made again from the gradebook at any time


def _known_stems(folder: BatchFolder, grades: Sequence[Grade]) -> Sequence[str]:
    """The exercises that `grades.csv` has columns for; without it, those that have scores."""
    header = next(csv.reader((_read(folder.grades) or "").splitlines()), [])
    if _BEFORE in header and _AFTER in header:
        return header[header.index(_BEFORE) + 1 : header.index(_AFTER)]
    return list(dict.fromkeys(stem for grade in grades for stem in grade.exercises))


def _touched(connection: Connection, batch: str) -> Sequence[str]:
    targets = tables.action_targets
    query = select(targets.c.submission).where(targets.c.batch == batch).distinct()
    return connection.execute(query).scalars().all()


def _write_pages(folder: BatchFolder, remarks: Mapping[str, Remarks]) -> None:
    for submission, one in remarks.items():
        path = folder.page_path(submission)
        page = _read(path)
        if page is None:
            continue
        has_some = one.changed or one.said or has_remarks(page)
        stored = folder.stored(submission) if has_some else None
        report = stored.report if stored is not None else None
        new = page if report is None else with_remarks(page, one, report)
        if new != page:
            write_report(path, new, durable=False)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
