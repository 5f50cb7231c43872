from __future__ import annotations

from typing import Any

from grader.classroom.records import Identity


def test_only_the_grade_cells_of_a_courses_file_change(
    make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("gradescope_course.csv")
    folder = make_class(
        handed("ada", Identity(sis_id="001001"), 17.0), handed("g", Identity(email="GRACE@example.edu"), 2.0)
    )
    export = make("gradescope", folder, into=into, column="HW 3: Attention")
    cells = changed_cells(into.read_bytes(), export.files[0].content)
    assert cells == {(1, "HW 3: Attention"): "17", (2, "HW 3: Attention"): "2"}


def test_a_title_that_ends_like_another_column(make: Any, make_class: Any, handed: Any, sample: Any) -> None:
    into = sample("gradescope_course.csv")
    title = b"HW 3: Attention - Max Points"
    into.write_bytes(into.read_bytes().replace(b"HW 3: Attention", title))
    export = make("gradescope", make_class(handed("ada", Identity(sis_id="001001"), 17.0)), into=into)
    assert export.changes[0].after == "17"


def test_file_of_one_assignment(
    make: Any, make_class: Any, handed: Any, sample: Any, changed_cells: Any
) -> None:
    into = sample("gradescope_course.csv")
    header = "First Name,Last Name,SID,Email,Sections,Status,Submission ID,Total Score,Max Points\n"
    into.write_text(header + "Ada,Lovelace,001001,ada@example.edu,,Graded,5,1.0,20.0\n")
    export = make("gradescope", make_class(handed("ada", Identity(sis_id="001001"), 17.0)), into=into)
    assert changed_cells(into.read_bytes(), export.files[0].content) == {(1, "Total Score"): "17"}
