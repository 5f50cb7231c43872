from __future__ import annotations

from grader.classroom.records import Identity
from grader.exports.classgrades import Student
from grader.exports.matching import Row, match


def student(submission: str, **keys: str) -> Student:
    return Student(submission, Identity(**keys), 1.0, 2.0)


ADA = Row(1, "Ada", {"lms_id": "501", "sis_id": "001001", "login": "ada"}, "Lovelace, Ada")
GRACE = Row(2, "Grace", {"lms_id": "502", "sis_id": "", "login": "grace"}, "Hopper, Grace")


def test_a_key_decides_with_the_column_of_its_own_kind() -> None:
    found = match([ADA, GRACE], [student("x", login="ADA"), student("y", lms_id="502")])
    assert {number: one.submission for number, one in found.pairs.items()} == {1: "x", 2: "y"}
    assert not match([ADA], [student("x", sis_id="501")]).pairs


def test_leading_zeros_matter() -> None:
    assert not match([ADA], [student("x", sis_id="1001")]).pairs


def test_keys_that_fit_two_rows_decide_nothing() -> None:
    found = match([ADA, GRACE], [student("x", lms_id="501", login="grace")])
    assert not found.pairs
    assert found.students_left[0][1] == "fits 2 rows of the file"


def test_two_submissions_for_one_row_decide_nothing() -> None:
    found = match([ADA, GRACE], [student("x", login="ada"), student("y", lms_id="501")])
    assert not found.pairs
    assert {one.submission for one, _ in found.students_left} == {"x", "y"}
    assert found.rows_left == (ADA, GRACE)


def test_a_name_decides_only_when_asked_for_and_says_so_otherwise() -> None:
    nameless = student("x", name="Ada Lovelace")
    found = match([ADA, GRACE], [nameless])
    assert not found.pairs
    assert "--by-name" in found.students_left[0][1]
    assert match([ADA, GRACE], [nameless], by_name=True).pairs == {1: nameless}


def test_a_name_does_not_decide_against_a_key_or_for_two() -> None:
    other = student("x", name="Ada Lovelace", login="ada2")
    assert not match([ADA, GRACE], [other], by_name=True).pairs
    twin = Row(3, "Ada", {"login": "ada9"}, "Ada Lovelace")
    assert not match([ADA, twin], [student("x", name="Ada Lovelace")], by_name=True).pairs


def test_a_folders_name_stands_in_where_nothing_else_is_known() -> None:
    assert match([ADA], [student("ada", name="ada")]).pairs
    assert not match([ADA], [student("501", name="501")]).pairs


def test_a_teams_number_is_no_participants() -> None:
    row = Row(1, "Ada", {"participant": "77"}, "Ada Lovelace")
    found = match([row], [student("x", participant="77", name="Team Seven")])
    assert not found.pairs
    assert "another name" in found.students_left[0][1]
