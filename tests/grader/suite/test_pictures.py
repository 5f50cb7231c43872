"""Pictures from tensors, and the assignment's own ones."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from grader.catalog import read_assignment
from grader.errors import AssignmentError, StudentError
from grader.pictures import Curves, Heatmaps
from grader.suite.pictures import (
    NotDrawable,
    compared_curves,
    curve,
    curves,
    heatmaps,
    load_look,
    look_safely,
    path_of_look,
    row,
)
from grader.suite.reference import Reference, load_references

ROOT = Path(__file__).parents[3]
ASSIGNMENT = read_assignment(ROOT)
LOOKED_AT = [stem for stem in ASSIGNMENT.stems if path_of_look(ASSIGNMENT, stem).is_file()]


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference(load_references(ASSIGNMENT), ASSIGNMENT.exercises)


def plain(reference: Reference) -> Any:
    """The references as a student would have them: ordinary functions and classes in float32."""
    return SimpleNamespace(**reference._symbols)


def test_every_core_exercise_has_something_to_look_at() -> None:
    core = [spec.stem for spec in ASSIGNMENT.exercises if spec.track == "core"]
    assert [stem for stem in core if stem in LOOKED_AT] == core


@pytest.mark.parametrize("stem", LOOKED_AT)
def test_right_answers_have_one_picture_whatever_their_last_digits(stem: str, reference: Reference) -> None:
    look = load_look(path_of_look(ASSIGNMENT, stem))
    pictures = tuple(look(plain(reference), reference))
    assert pictures == tuple(look(reference, reference))
    assert all(picture.title and picture.alt for picture in pictures)
    assert all("No difference" in picture.summary for picture in pictures)


@pytest.mark.parametrize("stem", LOOKED_AT)
def test_handout_has_no_reference_and_pictures_all_the_same(stem: str, reference: Reference) -> None:
    pictures = look_safely(load_look(path_of_look(ASSIGNMENT, stem)), plain(reference)).pictures
    assert pictures
    for picture in pictures:
        assert "ifference" not in picture.summary
        if isinstance(picture, Heatmaps):
            assert all(part.compared is None for part in picture.rows)
        else:
            assert not [one for one in picture.curves if one.role == "expected"]


@pytest.mark.parametrize("stem", LOOKED_AT)
@pytest.mark.parametrize("value", [None, torch.ones(2), torch.tensor(float("nan")), "text", float("inf")])
def test_results_of_any_kind_never_break_the_looking(stem: str, value: Any, reference: Reference) -> None:
    class Student:
        def __getattr__(self, name: str) -> Any:
            return lambda *args, **kwargs: value

    looked = look_safely(load_look(path_of_look(ASSIGNMENT, stem)), Student(), reference)
    assert looked.pictures == ()
    assert looked.problem.startswith("No picture: ")
    assert looked.problem.endswith(".")


def test_numbers_that_are_none_stay_what_they_are() -> None:
    part = row("r", torch.tensor([[float("nan"), float("inf")], [-1e300, 0.123456]], dtype=torch.float64))
    assert part.student == ("nan inf", "-1.000e+300 0.1235")
    assert "2 of the numbers" in heatmaps("t", "a", [part]).summary


def test_largest_difference_is_named_by_its_place() -> None:
    own, wanted = torch.zeros(2, 3), torch.tensor([[0.0, 0, 0], [0, 0, 0.5]])
    picture = heatmaps("t", "a", [row("r", own, wanted)])
    assert picture.summary == "The largest difference is 0.5 (row 1, column 2)."
    assert picture.rows[0].is_same is False


def test_shape_that_is_wrong_is_said_with_both_shapes() -> None:
    with pytest.raises(NotDrawable, match=r"weights has the shape \(3, 2\), expected \(2, 3\)\."):
        row("weights", torch.zeros(3, 2), torch.zeros(2, 3))
    with pytest.raises(NotDrawable, match="complex"):
        row("weights", torch.zeros(2, 2, dtype=torch.complex64))
    with pytest.raises(NotDrawable, match="cannot be drawn"):
        row("weights", torch.zeros(2, 500))


def test_curve_as_expected_is_one_curve_and_another_one_two() -> None:
    x, y = [0, 1, 2], torch.tensor([1.0, 2.0, 3.0])
    same = curves("t", "a", compared_curves("mine", x, y + 1e-6, y), xlabel="x", ylabel="y")
    assert [one.label for one in same.curves] == ["mine (as expected)"]
    other = curves(
        "t", "a", [curve("all", x, y), *compared_curves("mine", x, 2 * y, y)], xlabel="x", ylabel="y"
    )
    assert isinstance(other, Curves)
    assert [one.role for one in other.curves] == ["given", "student", "expected"]
    assert other.summary == "The largest distance from what is expected is 3."


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        ("raised", "No picture: the code raises an error on the example."),
        ("timed_out", "No picture: the code does not finish on the example."),
        ("crashed", "No picture: the code ends its process."),
        ("bad_return", "No picture: the code does not get as far as a result on the example."),
    ],
)
def test_codes_own_words_are_never_shown(outcome: Any, sentence: str) -> None:
    def look(student: Any, reference: Any) -> Any:
        raise StudentError("SECRET", outcome=outcome, kind="x")

    assert look_safely(look, None) == ((), sentence)


def test_file_without_look_is_the_authors_to_mend(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    with pytest.raises(AssignmentError, match="defines no `look"):
        load_look(tmp_path / "one.py")
