"""Moodle offline grading worksheet, and the zip of feedback files that goes with it.

The worksheet is in its teacher's language. The first column is the participant, by place; the others are
known by their headers in several languages, and `--column` names the grade's where they are not.
"""

from __future__ import annotations

import re

from grader.exports.cells import Sheet, find_column, read_sheet
from grader.exports.classgrades import ExportError
from grader.exports.escaping import for_html_block
from grader.exports.feedback import feedback_of, pack
from grader.exports.filling import Columns, choose_column, fill, first_row, read_number, rows_after, same_text
from grader.exports.gradefile import Export, ExportFile, ExportRequest, GradeFile

_PARTICIPANT = re.compile(r"\D*?(\d+)\s*")
_GRADE = (
    "Grade", "Bewertung", "Note", "Calificación", "Valutazione", "Nota", "Beoordeling", "Cijfer", "Betyg",
    "Karakter", "Ocena", "Hodnocení", "Avaliação", "Оценка", "评分", "評点", "成绩",
)  # fmt: skip
_MAXIMUM = (
    "Maximum grade", "Bestwertung", "Note maximale", "Calificación máxima", "Valutazione massima",
    "Nota máxima", "Hoogste cijfer", "Maximale beoordeling",
)  # fmt: skip
_SCALE = ("Scale", "Skala", "Barème", "Escala", "Scala", "Schaal")
_CAN_CHANGE = (
    "Grade can be changed", "Bewertung kann geändert werden", "La note peut être modifiée",
    "La calificación puede ser cambiada", "La valutazione può essere modificata",
    "Cijfer kan worden aangepast",
)  # fmt: skip
_NO = frozenset({"no", "nein", "non", "nee", "não", "nej", "nie", "нет", "否"})
_COMMENT = (
    "Feedback comments",
    "Feedback als Kommentar",
    "Commentaires de feedback",
    "Comentarios de retroalimentación",
)
_NAME = (
    "Full name",
    "Vollständiger Name",
    "Nom complet",
    "Nombre completo",
    "Nome completo",
    "Cognome/Nome",
    "Volledige naam",
)
_SIS_ID = (
    "ID number",
    "ID-Nummer",
    "Numéro d’identification",
    "Número de ID",
    "Codice identificativo",
    "ID-nummer",
)
_EMAIL = (
    "Email address",
    "E-Mail-Adresse",
    "Adresse de courriel",
    "Dirección de correo",
    "Indirizzo email",
    "E-mailadres",
)
_UNSAFE_IN_PATHS = re.compile(r'[\\/:*?"<>|_]')


def make(request: ExportRequest) -> Export:
    sheet = read_sheet(request.read_into("the grading worksheet that Moodle exports"))
    header_row = first_row(sheet)
    columns = _columns(sheet, header_row, request)
    export = fill(sheet, columns, request, "moodle-worksheet.csv")
    feedback = _feedback_zip(sheet, columns, export, request)
    notes = (
        "Moodle skips a row that was changed after the worksheet was exported, unless you allow updating "
        "records that were modified since.",
    )
    return Export((*export.files, feedback), export.matching, export.changes, export.kept, export.same, notes)


def _columns(sheet: Sheet, header_row: int, request: ExportRequest) -> Columns:
    header = sheet.values(header_row)
    body = rows_after(sheet, header_row)
    if any(not _PARTICIPANT.fullmatch(sheet.value(row, 0)) for row in body):
        raise ExportError("The file is no grading worksheet: its first column does not number participants.")
    if request.column is None:
        found = find_column(header, _GRADE)
        if found is None:
            raise ExportError(
                "No column of the worksheet is known to be the grade.",
                hint=f"Name it with --column: {', '.join(f'`{name}`' for name in header)}.",
            )
        grade = found
    else:
        grade = choose_column(header, range(1, len(header)), request.column, same_text)
    if grade + 1 < len(header) and find_column(header[grade + 1 : grade + 2], _SCALE) is not None:
        raise ExportError("The assignment is graded with a scale of words, which points cannot fill.")
    can_change = find_column(header, _CAN_CHANGE)
    names = find_column(header, _NAME)
    keys = {"participant": 0, "sis_id": find_column(header, _SIS_ID), "email": find_column(header, _EMAIL)}
    return Columns(
        body=body,
        grade=grade,
        keys={kind: column for kind, column in keys.items() if column is not None},
        names=() if names is None else (names,),
        maximum_column=_maximum_column(sheet, header, body, grade),
        locked=lambda row: _locked(sheet.value(row, can_change)),
        read_key=_read_key,
        comment=find_column(header, _COMMENT),
        write_comment=for_html_block,
    )


def _maximum_column(sheet: Sheet, header: list[str], body: list[int], grade: int) -> int | None:
    """By its header, else the one after the grade if every row has a number there, as Moodle orders them."""
    found = find_column(header, _MAXIMUM)
    if found is None and body and all(read_number(sheet.value(row, grade + 1)) for row in body):
        return grade + 1
    return found


def _locked(cell: str) -> str:
    return "is locked in Moodle: left as it was" if cell.casefold() in _NO else ""


def _read_key(kind: str, text: str) -> str:
    if kind != "participant":
        return text
    match = _PARTICIPANT.fullmatch(text)
    return match[1] if match else ""


def _feedback_zip(sheet: Sheet, columns: Columns, export: Export, request: ExportRequest) -> ExportFile:
    """A file per student in the folder that Moodle's own download has for them."""
    files = []
    for number, student in sorted(export.matching.pairs.items()):
        feedback = feedback_of(request.grades, student)
        if feedback is None:
            continue
        participant = _read_key("participant", sheet.value(number, 0))
        name = "".join(sheet.value(number, column) for column in columns.names) or "Participant"
        folder = f"{_UNSAFE_IN_PATHS.sub(' ', name)}_{participant}_assignsubmission_file"
        files.append((f"{folder}/feedback{feedback.ending}", feedback.content))
    return pack("moodle-feedback.zip", files)


GRADEFILE = GradeFile("Moodle grading worksheet, and a zip of feedback files", make)
