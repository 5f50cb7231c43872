"""nbgrader: its gradebook database, filled through nbgrader's own API; a copy, never the original.

Each exercise is a grade cell named by its stem, in a notebook named like the assignment. An assignment that
has other notebooks already was made by nbgrader, and filling it would change what it is worth.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.exports.classgrades import ExportError, Student
from grader.exports.filling import grade_text
from grader.exports.gradefile import Change, Export, ExportFile, ExportRequest, GradeFile, Kept
from grader.exports.matching import Matching, Row, match
from grader.printable import printable

FILE_NAME = "gradebook.db"


def make(request: ExportRequest) -> Export:
    api = _api()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE_NAME
        if request.into is not None:
            request.read_into("nbgrader's gradebook.db")
            shutil.copyfile(request.into, path)
        with _own_programs_first(), api.Gradebook(f"sqlite:///{path}") as book:
            export = _fill(api, book, request)
        return Export(
            (ExportFile(FILE_NAME, path.read_bytes()),),
            export.matching,
            export.changes,
            export.kept,
            export.same,
        )


def _api() -> Any:
    try:
        return importlib.import_module("nbgrader.api")
    except ImportError as err:
        raise ExportError(
            "nbgrader is not installed, and its gradebook is only written through its own API.",
            hint="`pip install nbgrader`, or export csv.",
        ) from err


@contextmanager
def _own_programs_first() -> Iterator[None]:
    """nbgrader starts `alembic` by its name; it lies beside the interpreter, often not on the PATH."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _fill(api: Any, book: Any, request: ExportRequest) -> Export:
    name = request.column or request.grades.assignment
    matching = _match(book, request)
    graded = [student for student in matching.pairs.values() if student.score is not None]
    kept = [
        Kept(student.shown, f"{student.why_not}: left as it was")
        for student in matching.pairs.values()
        if student.score is None
    ]
    maxima = _exercise_maxima(request)
    _prepare(api, book, name, maxima)
    changes, same = [], 0
    ids = {row: found.id for row, found in enumerate(book.students)} if request.into else {}
    for number, student in matching.pairs.items():
        if student not in graded:
            continue
        login = ids[number] if request.into else _own_id(student)
        if request.into is None:
            book.update_or_create_student(login, **_person(student))
        change = _write(book, name, login, student, maxima)
        if change is None:
            same += 1
        else:
            changes.append(change)
    book.db.commit()
    return Export((), matching, tuple(changes), tuple(kept), same)


def _match(book: Any, request: ExportRequest) -> Matching:
    """Into a gradebook: only students that it has. A new one has whoever is in the batch."""
    students = request.grades.students
    if request.into is None:
        return Matching(dict(enumerate(students)), (), ())
    rows = []
    for number, found in enumerate(book.students):
        keys = {
            "login": found.id,
            "sis_id": found.id,
            "lms_id": found.lms_user_id or "",
            "email": found.email or "",
        }
        name = " ".join(part for part in (found.first_name, found.last_name) if part)
        rows.append(Row(number, printable(found.id, 100, one_line=True), keys, name))
    return match(rows, students, by_name=request.by_name)


def _own_id(student: Student) -> str:
    return student.identity.login or student.identity.sis_id or student.submission


def _person(student: Student) -> dict[str, str]:
    identity = student.identity
    first, _, last = identity.name.rpartition(" ")
    found = {
        "first_name": first, "last_name": last, "email": identity.email, "lms_user_id": identity.lms_id
    }  # fmt: skip
    return {name: value for name, value in found.items() if value}


def _exercise_maxima(request: ExportRequest) -> dict[str, float]:
    """What each exercise is worth, as the results say."""
    maxima: dict[str, float] = {}
    for submission in {student.submission: None for student in request.grades.students}:
        report = request.grades.report(submission)
        for exercise in report.exercises if report else ():
            maxima.setdefault(exercise.stem, exercise.max_score)
    if not maxima:
        raise ExportError("No result says what the exercises are worth.")
    return maxima


def _prepare(api: Any, book: Any, name: str, maxima: dict[str, float]) -> None:
    """The assignment with its one notebook and a grade cell per exercise."""
    try:
        known = {notebook.name for notebook in book.find_assignment(name).notebooks}
    except api.MissingEntry:
        known = set()
    if known - {name}:
        raise ExportError(
            f"The gradebook's assignment `{name}` has notebooks of its own: {', '.join(sorted(known))}.",
            hint="Name another assignment with --column.",
        )
    book.update_or_create_assignment(name)
    book.update_or_create_notebook(name, name)
    for stem, maximum in maxima.items():
        book.update_or_create_grade_cell(stem, name, name, max_score=maximum, cell_type="code")


def _write(book: Any, name: str, login: str, student: Student, maxima: dict[str, float]) -> Change | None:
    """Scores of the exercises; None if they are there already."""
    submission = book.update_or_create_submission(name, login)
    before = submission.score
    for stem in maxima:
        score = student.exercises.get(stem)
        grade = book.find_grade(stem, name, name, login)
        grade.manual_score = score
        grade.needs_manual_grade = score is None
    book.db.flush()
    book.db.expire_all()
    after = book.find_submission(name, login).score
    if abs(before - after) < 1e-9:
        return None
    return Change(printable(login, 100, one_line=True), grade_text(before), grade_text(after))


GRADEFILE = GradeFile("nbgrader gradebook.db", make)
