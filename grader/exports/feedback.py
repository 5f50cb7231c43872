"""Feedback files: the student's own HTML page where the batch made one, else the report as text; and zips."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from typing import NamedTuple

from grader.exports.classgrades import ClassGrades, Student
from grader.exports.gradefile import ExportFile
from grader.exports.shown import student_text
from grader.report.remarks import remarks_text

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same feedback gives the same zip


class Feedback(NamedTuple):
    """What a student gets; `ending` is `.html` or `.txt`."""

    ending: str
    content: bytes


def feedback_of(grades: ClassGrades, student: Student) -> Feedback | None:
    """The feedback on a student's submission; None if there is no grade or no readable result."""
    if student.score is None:
        return None
    page = grades.page(student.submission)
    if page is not None:
        return Feedback(".html", page)
    text = feedback_text(grades, student)
    return None if text is None else Feedback(".txt", text.encode())


def feedback_text(grades: ClassGrades, student: Student) -> str | None:
    """The report as text, led by what staff says and the grade that counts where it is another.

    None if there is no grade, or no report to read.
    """
    report = grades.report(student.submission)
    if student.score is None or report is None:
        return None
    lead = staff_text(grades, student)
    return f"{lead}\n\n{student_text(report)}" if lead else student_text(report)


def staff_text(grades: ClassGrades, student: Student) -> str:
    """What staff says to a student, and the grade that counts where it is another; empty if there is none."""
    report, remarks = grades.report(student.submission), grades.remarks.get(student.submission)
    return "" if report is None or remarks is None else remarks_text(remarks, report)


def pack(name: str, files: Iterable[tuple[str, bytes]]) -> ExportFile:
    """A zip file of these files, in their order."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            info = zipfile.ZipInfo(path, _LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return ExportFile(name, made.getvalue())
