from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from grader.classroom.records import Identity
from grader.exports.classgrades import ExportError

ADA = Identity(participant="90210", name="Ada Lovelace")


@pytest.mark.parametrize("crlf", [False, True])
def test_only_the_grade_cells_change(
    crlf: bool, make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("moodle_en.csv", crlf=crlf)
    folder = make_class(
        handed("ada", ADA, 17.5),
        handed("ana", Identity(participant="90211"), None),
        handed("grace", Identity(email="grace@example.edu"), 3.0),
        handed("bob", Identity(participant="4"), 3.0),
    )
    export = make("moodle", folder, into=into)
    assert changed_cells(into.read_bytes(), export.files[0].content) == {(1, "Grade"): "17.5"}
    assert [kept.reason for kept in export.kept] == [
        "needs a regrade: left as it was",
        "is locked in Moodle: left as it was",
    ]
    assert [student.submission for student, _ in export.matching.students_left] == ["bob"]


def test_blind_marking(make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any) -> None:
    into = sample("moodle_blind.csv")
    export = make("moodle", make_class(handed("p", Identity(participant="90210"), 4.0)), into=into)
    assert changed_cells(into.read_bytes(), export.files[0].content) == {(1, "Grade"): "4"}
    with zipfile.ZipFile(io.BytesIO(export.files[1].content)) as archive:
        assert archive.namelist() == ["Participant_90210_assignsubmission_file/feedback.txt"]


def test_another_language_and_its_decimal_comma(
    make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("moodle_de.csv")
    export = make("moodle", make_class(handed("ada", ADA, 3.25)), into=into)
    assert changed_cells(into.read_bytes(), export.files[0].content) == {(1, "Bewertung"): "3,25"}


def test_an_unknown_language_asks_for_the_column(
    make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("moodle_en.csv")
    into.write_bytes(into.read_bytes().replace(b",Grade,Maximum grade,", b",Arvosana,Paras arvosana,"))
    folder = make_class(handed("ada", ADA, 3.25))
    with pytest.raises(ExportError) as caught:
        make("moodle", folder, into=into)
    assert "`Arvosana`" in caught.value.hint
    export = make("moodle", folder, into=into, column="arvosana")
    assert changed_cells(into.read_bytes(), export.files[0].content) == {(1, "Arvosana"): "3.25"}


def test_comments_are_filled_only_when_asked_for(
    make: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    into = sample("moodle_en.csv")
    export = make("moodle", make_class(handed("ada", ADA, 3.25)), into=into, comments=True)
    text = export.files[0].content.decode()
    assert "Look at &lt;the&gt; mask." in text
    assert "SECRET-INPUT" not in text


def test_feedback_files_lie_where_moodle_looks(make: Any, make_class: Any, handed: Any, sample: Any) -> None:
    export = make("moodle", make_class(handed("ada", ADA, 3.25, points=9.0)), into=sample("moodle_en.csv"))
    with zipfile.ZipFile(io.BytesIO(export.files[1].content)) as archive:
        name = "Ada Lovelace_90210_assignsubmission_file/feedback.txt"
        assert archive.read(name).startswith(b"The grade that counts: 9 / 20 (changed by staff)")


def test_a_scale_of_words_is_refused(make: Any, make_class: Any, handed: Any, sample: Any) -> None:
    into = sample("moodle_en.csv")
    into.write_bytes(into.read_bytes().replace(b"Maximum grade", b"Scale"))
    with pytest.raises(ExportError, match="scale of words"):
        make("moodle", make_class(handed("ada", ADA)), into=into)


def test_another_file_is_refused(make: Any, make_class: Any, handed: Any, sample: Any) -> None:
    with pytest.raises(ExportError, match="no grading worksheet"):
        make("moodle", make_class(handed("ada", ADA)), into=sample("canvas_gradebook.csv"))
