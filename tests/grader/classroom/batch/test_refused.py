"""What is refused before anything is written: results that would be lost, names that fit nobody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def three(students: Any, pretence: Any) -> None:
    for student in ("ada", "ben", "cem"):
        students.hand_in(student)


@pytest.fixture
def full(batch: Any) -> Any:
    """A class that was graded in full."""
    ended = batch()
    assert ended.code == 0
    return ended


def files_of(folder: Path) -> dict[str, bytes]:
    """Everything in a folder but its locks and the database's own files."""
    named = [
        path for path in folder.rglob("*") if path.is_file() and path.suffix in (".json", ".csv", ".html")
    ]
    return {str(path): path.read_bytes() for path in named}


@pytest.mark.parametrize("only", [(), ("--only", "ada")])
def test_some_exercises_do_not_replace_all(
    full: Any, batch: Any, pretence: Any, only: tuple[str, ...]
) -> None:
    before = files_of(full.folder)
    pretence.judged.clear()
    ended = batch("--exercise", "triple", *only)
    assert (ended.code, pretence.judged, files_of(full.folder)) == (2, [], before)
    for part in (
        "holds 3 results with exercises that this run leaves out",
        "`ada` has 2 exercises and 6 points",
        f"`{full.folder}/results/ada.json`",
        "this run has only `triple`",
        f"`grade batch PATH -o {full.folder}-triple`",
        "`--force`",
    ):
        assert part in ended.err


def test_an_exercise_does_not_replace_another(batch: Any) -> None:
    assert batch("--exercise", "double").code == 0
    assert batch("--exercise", "triple").code == 2


def test_force_replaces_all(full: Any, batch: Any) -> None:
    ended = batch("--exercise", "triple", "--force")
    assert (ended.code, ended.scores) == (0, {"ada": 2.0, "ben": 2.0, "cem": 2.0})


def test_all_exercises_replace_some(batch: Any, grade: Any, out: Path) -> None:
    batch("--exercise", "triple")
    said = f"Exercises as the run before chose them, only `triple`. `grade batch PATH -o {out}` chooses all."
    as_started = grade("batch", "-o", out, "--jobs", "1")
    assert (as_started.scores["ada"], said in as_started.err) == (2.0, True)
    ended = batch()
    assert (ended.code, ended.scores["ada"], said in ended.err) == (0, 6.0, False)


def test_a_new_student_gets_no_partial_result_among_full_ones(full: Any, batch: Any, students: Any) -> None:
    students.hand_in("dan")
    assert batch("--exercise", "triple", "--only", "dan").code == 2
    assert not (full.folder / "results" / "dan.json").exists()


def test_exercises_that_were_forced_on_one_do_not_spread(
    full: Any, batch: Any, grade: Any, pretence: Any, out: Path
) -> None:
    batch("--exercise", "triple", "--only", "ada", "--force")
    pretence.judged.clear()
    ended = grade("batch", "-o", out, "--jobs", "1")
    assert (ended.code, pretence.judged) == (2, [])
    assert "holds 2 results" in ended.err
    assert f"Name the submissions (`grade batch PATH -o {out}`) to grade all exercises" in ended.err
    assert batch().scores == {"ada": 6.0, "ben": 6.0, "cem": 6.0}
    assert pretence.judged == ["ada"]


def test_pattern_that_fits_nobody(full: Any, batch: Any) -> None:
    before = files_of(full.folder)
    ended = batch("--only", "benn*", "--force")
    assert (ended.code, files_of(full.folder)) == (2, before)
    assert "No submission fits `--only benn*`" in ended.err
    assert "Ids: `ada`, `ben`, `cem`. Did you mean `ben`?" in ended.err


def test_pattern_that_fits_nobody_in_a_new_folder(batch: Any, out: Path) -> None:
    ended = batch("--only", "zzz")
    assert (ended.code, out.exists()) == (2, False)


def test_pattern_that_fits_nobody_beside_one_that_does(batch: Any, pretence: Any) -> None:
    ended = batch("--only", "zzz", "--only", "ada")
    assert (ended.code, pretence.judged) == (0, ["ada"])
    assert "No submission fits `--only zzz`." in ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "is empty"), ("colour,shape\nred,round\n", "no column that says who a student is")],
)
def test_bad_roster_leaves_nothing(batch: Any, out: Path, tmp_path: Path, text: str, said: str) -> None:
    roster = tmp_path / "class.csv"
    roster.write_text(text)
    ended = batch("--roster", roster, "-o", out / "deep")
    assert (ended.code, out.exists()) == (2, False)
    assert said in ended.err


def test_unknown_layout_leaves_nothing(batch: Any, out: Path) -> None:
    ended = batch("--layout", "canvass")
    assert (ended.code, out.exists()) == (2, False)
    assert "Known layouts: " in ended.err


def test_bad_roster_leaves_a_graded_folder_alone(full: Any, batch: Any, tmp_path: Path) -> None:
    before = files_of(full.folder)
    (tmp_path / "class.csv").write_text("colour\n")
    assert batch("--roster", tmp_path / "class.csv").code == 2
    assert files_of(full.folder) == before
    assert json.loads(before[str(full.folder / "batch.json")])["roster"] is None
