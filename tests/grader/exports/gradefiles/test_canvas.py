from __future__ import annotations

from typing import Any

import pytest

from grader.classroom.records import Identity
from grader.exports.classgrades import ExportError

ADA, ANA, GRACE = (Identity(lms_id="501"), Identity(lms_id="502"), Identity(login="grace"))
HW = "HW 3: Attention (4101)"


@pytest.mark.parametrize("crlf", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_only_the_grade_cells_change(
    crlf: bool, encoding: str, make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("canvas_gradebook.csv", crlf=crlf, encoding=encoding)
    folder = make_class(handed("ada_501", ADA, 17.126), handed("ana_502", ANA, 3.0), handed("grace", GRACE))
    export = make("canvas", folder, into=into, column="HW 3: Attention")
    cells = changed_cells(into.read_bytes(), export.files[0].content, encoding)
    assert cells == {(3, HW): "17.13"}
    assert [kept.reason for kept in export.kept] == ["is excused in Canvas: left as it was"]
    assert [student.submission for student, _ in export.matching.students_left] == ["grace"]


def test_a_grade_that_is_there_already_stays_byte_for_byte(
    make: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    into = sample("canvas_gradebook.csv")
    export = make("canvas", make_class(handed("a", ADA, 11.5)), into=into, column="4101")
    assert export.files[0].content == into.read_bytes()
    assert (export.same, export.changes) == (1, ())


def test_semicolons_decimal_comma_and_bom_stay(
    make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("canvas_semicolon_bom.csv")
    export = make("canvas", make_class(handed("a", ADA, 7.25)), into=into)
    assert export.files[0].content.startswith(b"\xef\xbb\xbfStudent;ID")
    assert changed_cells(into.read_bytes(), export.files[0].content, "utf-8-sig", ";") == {(2, HW): "7,25"}


@pytest.mark.parametrize("with_gradebook", [True, False])
def test_needs_regrade_never_becomes_zero(
    with_gradebook: bool, make: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    into = sample("canvas_gradebook.csv")
    folder = make_class(handed("a", ADA, None), with_gradebook=with_gradebook)
    export = make("canvas", folder, into=into, column="4101")
    assert export.files[0].content == into.read_bytes()
    assert export.kept[0].reason == "needs a regrade: left as it was"


def test_a_change_by_staff_counts(make: Any, make_class: Any, handed: Any, sample: Any) -> None:
    into = sample("canvas_gradebook.csv")
    export = make("canvas", make_class(handed("a", ADA, 4.0, points=18.0)), into=into, column="4101")
    assert export.changes[0].after == "18"
    assert "changed by staff" in export.changes[0].who


def test_a_column_that_canvas_ignores_is_refused(
    make: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    folder = make_class(handed("a", ADA))
    with pytest.raises(ExportError, match="Canvas ignores"):
        make("canvas", folder, into=sample("canvas_gradebook.csv"), column="Final Score Quiz")


def test_an_unclear_or_unknown_column_lists_those_that_there_are(
    make: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    folder = make_class(handed("a", ADA))
    for column in (None, "HW 9"):
        with pytest.raises(ExportError) as caught:
            make("canvas", folder, into=sample("canvas_gradebook.csv"), column=column)
        assert HW in caught.value.hint
        assert "Current" not in caught.value.hint


def test_another_maximum_is_refused_unless_points_are_to_be_converted(
    make: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    into = sample("canvas_gradebook.csv")
    into.write_bytes(into.read_bytes().replace(b"20.00", b"100.00"))
    folder = make_class(handed("a", ADA, 10.0))
    with pytest.raises(ExportError, match="worth 100 points in the LMS and 20 here"):
        make("canvas", folder, into=into, column="4101")
    assert make("canvas", folder, into=into, column="4101", scale=True).changes[0].after == "50"


def test_the_whole_group_gets_the_grade(make: Any, make_class: Any, handed: Any, sample: Any) -> None:
    into = sample("canvas_gradebook.csv")
    into.write_bytes(into.read_bytes().replace(b",EX,N/A", b",,"))
    folder = make_class(handed("team", ADA, 8.0, group=(ADA, ANA)))
    assert len(make("canvas", folder, into=into, column="4101").changes) == 2


def test_a_file_must_be_named(make: Any, make_class: Any, handed: Any) -> None:
    with pytest.raises(ExportError, match="--into"):
        make("canvas", make_class(handed("a", ADA)))
