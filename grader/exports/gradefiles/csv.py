"""Plain CSV: every student and the grade that counts; or any table with a column of ids, filled.

Made for people: a text that a spreadsheet would run as a formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io

from grader.classroom.roster_csv import read_header
from grader.exports.cells import read_sheet
from grader.exports.classgrades import ExportError, Student
from grader.exports.feedback import staff_text
from grader.exports.filling import Columns, choose_column, fill, first_row, grade_text, rows_after, same_text
from grader.exports.gradefile import Change, Export, ExportFile, ExportRequest, GradeFile, Kept
from grader.exports.matching import KINDS, Matching
from grader.printable import printable

_PEOPLE = ("name", "login", "lms_id", "sis_id", "email", "section")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def make(request: ExportRequest) -> Export:
    return _made(request) if request.into is None else _filled(request)


def _made(request: ExportRequest) -> Export:
    students = request.grades.students
    found = dict.fromkeys(stem for student in students for stem in student.exercises)
    stems = list(dict.fromkeys([*(stem for stem in request.grades.stems if stem in found), *found]))
    made = io.StringIO(newline="")
    writer = csv.writer(made, lineterminator="\r\n")
    comments = ["comment"] if request.comments else []
    writer.writerow(["submission", *_PEOPLE, "score", "max_score", *stems, "remark", *comments])
    changes, kept = [], []
    for student in students:
        said = [_cell_of_lines(staff_text(request.grades, student)) for _ in comments]
        writer.writerow([*_line(student, stems), *said])
        if student.score is None:
            kept.append(Kept(student.shown, f"{student.why_not}: its score is empty"))
        else:
            changes.append(Change(student.shown, "", grade_text(student.score)))
    file = ExportFile("grades.csv", made.getvalue().encode("utf-8", "backslashreplace"))
    return Export((file,), Matching({}, (), ()), tuple(changes), tuple(kept))


def _line(student: Student, stems: list[str]) -> list[object]:
    graded = student.score is not None
    points = [student.exercises.get(stem) if graded else None for stem in stems]
    people = [_cell(getattr(student.identity, name)) for name in _PEOPLE]
    remark = student.why_not or student.remark
    maximum = student.max_score if graded else None
    return [_cell(student.submission), *people, student.score, maximum, *points, remark]


def _cell(text: str) -> str:
    clean = printable(text, one_line=True)
    return f"'{clean}" if text.startswith(_FORMULA_STARTS) else clean


def _cell_of_lines(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _filled(request: ExportRequest) -> Export:
    sheet = read_sheet(request.read_into("your own table"))
    header_row = first_row(sheet)
    header = [cell.strip("\ufeff") for cell in sheet.values(header_row)]
    meanings = read_header(header)
    keys = {kind: meanings[kind] for kind in KINDS if kind in meanings}
    if "id" in meanings:
        keys.setdefault("sis_id", meanings["id"])
    if not keys and not request.by_name:
        raise ExportError(
            "The file has no column of ids, logins or e-mail addresses.",
            hint="Add one, or let names decide with --by-name.",
        )
    known = set(meanings.values())
    others = [at for at in range(len(header)) if at not in known]
    columns = Columns(
        body=rows_after(sheet, header_row),
        grade=choose_column(header, others, request.column, same_text),
        keys=keys,
        names=[meanings[name] for name in ("name", "first", "last") if name in meanings],
    )
    return fill(sheet, columns, request, "grades.csv")


GRADEFILE = GradeFile("Plain CSV: a new one, or any table filled", make)
