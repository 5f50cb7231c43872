"""Those fail alike whose errors differ only in what differs from one submission to the next."""

from __future__ import annotations

import pytest

from grader.classroom.gradebook.facts import normalised, note_label


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Values differ: the largest error is 0.123.", "Values differ: the largest error is 4e-05."),
        ("`a.py` line 3: NameError: y", "`b/c d.py` line 17: NameError: y"),
        ("`work.ipynb` cell 3, line 2: NameError: y", "`hw (1).ipynb` cell 12, line 5: NameError: y"),
        ("Expected shape (3, 4),\n got (4, 3).", "Expected shape (3, 5), got  (5, 3)."),
        ("in solution/x.py at -1.5", "in other.py at 2"),
    ],
)
def test_same_error(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("NameError: name 'y' is not defined", "NameError: name 'z' is not defined"),
        ("Expected shape (3, 4), got (4, 3).", "Expected dtype float32, got float64."),
        ("Values differ by 0.5.", "Values differ by nan."),
    ],
)
def test_other_error(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


@pytest.mark.parametrize(
    "text",
    [
        "`a.py` line 3: `open` reads or writes files.",
        "`b.py` line 3 (also line 5; line 7 and more): `open` reads or writes files.",
        "`w.ipynb` cell 2, line 1 (also cell 3, line 4): `open` reads or writes files.",
    ],
)
def test_remark_without_its_place(text: str) -> None:
    assert note_label(text) == "`open` reads or writes files."


def test_remark_without_a_place_stays() -> None:
    assert note_label("The file was renamed: `x`.") == "The file was renamed: `x`."
