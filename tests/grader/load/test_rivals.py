"""Several files define the same exercise: when staff are asked whether several students wrote them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from grader.catalog import Assignment
from grader.load import load_files, load_submission
from grader.load.raw import Member
from grader.records import Note, Submission

from .conftest import ATTENTION, SOFTMAX, SOFTMAX_STUB, notebook

Load = Callable[..., Submission]

OF_A_CLASS = [
    ["ada/masked_softmax.py", "ben/masked_softmax.py", "cyd/masked_softmax.py"],
    ["ada/hw/masked_softmax.py", "ben/masked_softmax.py", "cyd/deep/er/answers.py"],
    ["week5/ada/masked_softmax.py", "week5/ben/masked_softmax.py", "week5/cyd/masked_softmax.py"],
    ["masked_softmax.py", "ada/masked_softmax.py", "ben/masked_softmax.py", "cyd/masked_softmax.py"],
]
OF_ONE = [
    ["masked_softmax.py", "answers.py", "all.py", "draft.py"],
    ["hw/masked_softmax.py", "hw/answers.py", "hw/all.py", "hw/draft.py"],
    ["a/masked_softmax.py", "draft/masked_softmax.py"],
    ["masked_softmax.py", "old/masked_softmax.py", "backup/masked_softmax.py"],
    ["masked_softmax.py", "old/1/masked_softmax.py", "old/2/masked_softmax.py", "old/3/masked_softmax.py"],
]


def questions(submission: Submission) -> list[Note]:
    return [note for note in submission.notes if "grade batch" in note.text]


def packed(names: Sequence[str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, SOFTMAX)
    return buffer.getvalue()


def offered(name: str) -> Member:
    content = SOFTMAX.encode()
    return Member(name, len(content), None, "", lambda limit: content[:limit])


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("names", OF_A_CLASS)
def test_staff_are_asked_about_folders_of_several_students(
    load: Load, folder: Path, names: list[str], is_packed: bool
) -> None:
    (folder.parent / "week5.zip").write_bytes(packed(names))
    submission = load(path=folder.parent / "week5.zip") if is_packed else load(dict.fromkeys(names, SOFTMAX))
    (asked,) = questions(submission)
    assert asked is submission.notes[0]  # the first notes are those that are shown
    assert asked.audience == "staff"
    assert "3 folders answer the same exercise: `ada`, `ben`, `cyd`." in asked.text


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("names", OF_ONE)
def test_files_and_drafts_of_one_student_are_not_asked_about(
    load: Load, folder: Path, names: list[str], is_packed: bool
) -> None:
    (folder.parent / "ada.zip").write_bytes(packed(names))
    submission = load(path=folder.parent / "ada.zip") if is_packed else load(dict.fromkeys(names, SOFTMAX))
    assert questions(submission) == []
    (note,) = submission.notes  # which file counts is said all the same
    assert "which counts, and also in" in note.text
    assert note.audience == "student"


def test_a_zip_per_student_in_one_folder_is_asked_about(load: Load) -> None:
    submission = load({f"{name}.zip": packed(["hw/masked_softmax.py"]) for name in ("ada", "ben", "cyd")})
    (asked,) = questions(submission)
    assert "`ada.zip`, `ben.zip`, `cyd.zip`" in asked.text


def test_it_is_asked_once_for_all_exercises(load: Load) -> None:
    files = {f"{name}/masked_softmax.py": SOFTMAX for name in ("ada", "ben", "cyd", "dan")}
    files |= {f"{name}/hw.ipynb": notebook(ATTENTION) for name in ("ada", "ben", "cyd")}
    (asked,) = questions(load(files))
    assert asked.text.startswith("4 folders")


def test_folders_with_stubs_answer_nothing(load: Load) -> None:
    names = ("week1", "week2", "week3")
    submission = load(
        {"masked_softmax.py": SOFTMAX, **{f"{name}/masked_softmax.py": SOFTMAX_STUB for name in names}}
    )
    assert submission.notes == ()


@pytest.mark.parametrize("names", [*OF_A_CLASS, *OF_ONE])
def test_a_batch_has_sorted_its_students_and_does_not_ask(assignment: Assignment, names: list[str]) -> None:
    submission = load_files([offered(name) for name in names], assignment, submission_id="ada")
    assert questions(submission) == []


def test_a_student_with_a_handout_is_not_asked(load: Load, folder: Path, assignment: Assignment) -> None:
    load(dict.fromkeys(OF_A_CLASS[0], SOFTMAX))
    assert questions(load_submission(folder, assignment.as_handout())) == []


def test_many_rivals_are_named_in_part(load: Load) -> None:
    (note,) = load({f"answers_{letter}.py": SOFTMAX for letter in "abcdefgh"}).notes
    assert note.text.endswith("`answers_e.py`, `answers_f.py` and more.")
