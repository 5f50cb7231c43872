"""Found submissions are loaded from where they lie: folder and zip file agree, and nothing is unpacked."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.catalog import Assignment
from grader.classroom import ClassReader, discover
from grader.errors import SubmissionError
from grader.load import load_submission
from grader.records import Submission

SOFTMAX = "def masked_softmax(x):\n    return x\n"
ENCODING = "def positional_encoding(x):\n    return x\n"
Build = Callable[..., Path]


def load_all(place: Path, assignment: Assignment) -> dict[str, Submission | SubmissionError]:
    loaded: dict[str, Submission | SubmissionError] = {}
    with ClassReader() as reader:
        for found in discover([place], stems=assignment.stems).found:
            try:
                loaded[found.id] = reader.load(found, assignment)
            except SubmissionError as err:
                loaded[found.id] = err
    return loaded


def answered(submission: Submission | SubmissionError) -> set[str]:
    assert isinstance(submission, Submission)
    return {stem for stem, one in submission.exercises.items() if one.source is not None}


def packed(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_flat_files_of_canvas_are_one_submission(kind: str, build: Build, assignment: Assignment) -> None:
    files = {
        "leekim_1_10_masked_softmax.py": "def masked_softmax(x):\n    return 'old'\n",
        "leekim_1_12_masked_softmax-1.py": SOFTMAX,
        "leekim_1_11_positional_encoding.py": ENCODING,
    }
    (submission,) = load_all(build(kind, files), assignment).values()
    assert answered(submission) == {"masked_softmax", "positional_encoding"}
    assert isinstance(submission, Submission)
    source = submission.exercises["masked_softmax"].source
    assert source is not None
    assert (source.path, source.text) == ("masked_softmax.py", SOFTMAX)
    assert submission.id == "leekim_1"
    assert submission.notes[-1].text == "The latest of 2 attempts is graded."


def test_zip_and_folder_load_as_a_folder_alone_does(build: Build, assignment: Assignment) -> None:
    files = {
        "ada/src/masked_softmax.py": SOFTMAX,
        "ada/positional_encoding.py": ENCODING,
        "ada/more.zip": packed({"helper.py": "y = 1\n"}),
        "ada/notes.pdf": b"%PDF",
        "ada/test_mine.py": "assert True\n",
        "bob/masked_softmax.py": SOFTMAX,
    }
    folder = build("folder", files)
    alone = load_submission(folder / "ada", assignment)
    for place in (folder, build("zip", files)):
        submission = load_all(place, assignment)["ada"]
        assert isinstance(submission, Submission)
        assert submission.files == alone.files
        assert submission.exercises == alone.exercises
        assert submission.modules == alone.modules
        assert {note.text for note in submission.notes} == {note.text for note in alone.notes}


def test_archive_of_a_student_inside_the_class_is_opened(build: Build, assignment: Assignment) -> None:
    inner = packed(
        {"hw/masked_softmax.py": SOFTMAX, "deep.zip": packed({"positional_encoding.py": ENCODING})}
    )
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        info = tarfile.TarInfo("masked_softmax.py")
        info.size = len(SOFTMAX)
        archive.addfile(info, io.BytesIO(SOFTMAX.encode()))
    files = {"leekim_1_2_hw.zip": inner, "poebo_3_4_hw.tar.gz": stream.getvalue(), "oddam_5_6_hw": inner}
    loaded = load_all(build("zip", files), assignment)
    assert answered(loaded["leekim_1"]) == {"masked_softmax", "positional_encoding"}
    assert answered(loaded["poebo_3"]) == {"masked_softmax"}
    assert answered(loaded["oddam_5"]) == {"masked_softmax", "positional_encoding"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("leekim_1_text.html", "<p>", "no Python file and no notebook"),
        ("leekim_1_2_hw.zip", b"PK\x03\x04 broken", "is damaged or was not uploaded completely"),
        ("leekim_1_2_hw.rar", b"Rar!\x1a\x07", "RAR"),
        ("leekim_1_2_hw.pdf", b"%PDF", "found only `hw.pdf`"),
        ("leekim_1_2_hw.zip", packed({"../masked_softmax.py": SOFTMAX}), "leaves the archive's folder"),
    ],
)
def test_what_cannot_be_read_is_rejected_with_its_reason(
    name: str, content: str | bytes, message: str, build: Build, assignment: Assignment
) -> None:
    for kind in ("folder", "zip"):
        files = {name: content, "poebo_3_4_masked_softmax.py": SOFTMAX}
        loaded = load_all(build(kind, files), assignment)
        refused = loaded["leekim_1"]
        assert isinstance(refused, SubmissionError)
        assert message in str(refused)
        assert answered(loaded["poebo_3"]) == {"masked_softmax"}


def test_empty_folder_is_rejected_and_not_lost(build: Build, assignment: Assignment) -> None:
    files = {"ada/": None, "bob/masked_softmax.py": SOFTMAX}
    for kind in ("folder", "zip"):
        assert isinstance(load_all(build(kind, files), assignment)["ada"], SubmissionError)


def test_bomb_and_link_in_the_class_are_that_students_problem(tmp_path: Path, assignment: Assignment) -> None:
    place = tmp_path / "class.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/masked_softmax.py", b" " * (64 * 1024 * 1024))
        link = zipfile.ZipInfo("bob/masked_softmax.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("bob/positional_encoding.py", ENCODING)
        archive.writestr("eve/masked_softmax.py", SOFTMAX)
    loaded = load_all(place, assignment)
    ada = loaded["ada"]
    assert isinstance(ada, Submission)
    problem = ada.exercises["masked_softmax"].problem
    assert problem is not None
    assert "expands" in problem.message
    assert answered(loaded["bob"]) == {"positional_encoding"}
    assert answered(loaded["eve"]) == {"masked_softmax"}


def test_damaged_member_costs_only_its_student(tmp_path: Path, assignment: Assignment) -> None:
    place = tmp_path / "class.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("ada/masked_softmax.py", SOFTMAX)
        archive.writestr("bob/masked_softmax.py", SOFTMAX)
    content = place.read_bytes()
    place.write_bytes(content.replace(b"return x", b"return y", 1))
    loaded = load_all(place, assignment)
    assert "cannot be unpacked" in str(loaded["ada"])
    assert answered(loaded["bob"]) == {"masked_softmax"}


def test_nothing_is_written(build: Build, assignment: Assignment, tmp_path: Path) -> None:
    place = build(
        "zip", {"ada/masked_softmax.py": SOFTMAX, "bob/hw.zip": packed({"masked_softmax.py": SOFTMAX})}
    )
    before = sorted(os.walk(tmp_path))
    load_all(place, assignment)
    assert sorted(os.walk(tmp_path)) == before
