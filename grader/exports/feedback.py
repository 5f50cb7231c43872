"""Feedback files: the student's own HTML page where the batch made one, else the report as text; and zips."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from typing import NamedTuple

from grader.exports.classgrades import ClassGrades, Student
from grader.exports.gradefile import ExportFile
from grader.exports.shown import student_text
from grader.report.wording import score_text

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
    """The report as text, led by the grade that counts where it is another; None if there is none to read."""
    report = grades.report(student.submission)
    if student.score is None or report is None:
        return None
    text = student_text(report)
    if report.score is not None and abs(report.score - student.score) <= 1e-6:
        return text
    counts = score_text(student.score, student.max_score)
    remark = f" ({student.remark})" if student.remark else ""
    return f"The grade that counts: {counts}{remark}\n\n{text}"


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
