"""`grade check`: what a student reads, and that nothing but the public checks is run."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.__main__ import main
from grader.catalog import read_assignment
from grader.load import load_submission
from grader.practice.page import Page
from grader.practice.practice import Practice
from grader.practice.slips import unsaved
from grader.practice.standing import Standing, begin_standing

Ask = Callable[[Mapping[str, str]], Standing]


@pytest.fixture(scope="module")
def ask(write_handout: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """`ask({name: text})`: where a student stands who has written these files into `exercises/`."""
    folder = write_handout(tmp_path_factory.mktemp("asked") / "handout")
    assignment = read_assignment(folder)
    with Practice(assignment) as practice:

        def standing_of(files: Mapping[str, str]) -> Standing:
            for old in (folder / "exercises").glob("*.py"):
                old.unlink()
            for name, text in files.items():
                (folder / "exercises" / name).write_text(text, "utf-8")
            submission = load_submission(folder / "exercises", assignment)
            return begin_standing(assignment).updated(practice.check(submission))

        practice.start()
        yield standing_of


def read(standing: Standing, **choices: Any) -> str:
    """The page without colours, about the first exercise that is not done."""
    stream = io.StringIO()
    Page(stream).show(standing, standing.first, **choices)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def test_first_thing_to_fix_stands_in_full_and_the_rest_in_a_line_each(ask: Ask) -> None:
    page = read(ask({"twice.py": "def twice(X):\n    return X.sum() * 2\n"}))
    assert page.endswith(
        "✗ Every number is doubled.  (failed)\n    The result: shape (), expected (3,).\n"
        "  ✗ The shape stays as it is.  (failed)"
    )


def test_wrong_numbers_are_shown_with_the_call(ask: Ask) -> None:
    page = read(ask({"twice.py": "def twice(X):\n    return 3 * X\n"}))
    assert "called:    twice([1.0, 2.0, 3.0])" in page
    assert "expected:  [2.0, 4.0, 6.0]" in page


def test_error_is_shown_with_the_students_own_line(ask: Ask) -> None:
    page = read(ask({"twice.py": "def twice(X):\n    return X @ 'two'\n"}))
    assert "`twice.py` line 2: return X @ 'two'" in page
    assert "TypeError" in page


def test_hint_of_a_check_waits_and_hint_of_an_error_does_not(ask: Ask) -> None:
    wrong = ask({"twice.py": "def twice(X):\n    return 3 * X\n"})
    assert "There is a hint: run again with --hints." in read(wrong)
    assert "Hint: Add it to itself." in read(wrong, hints=True)
    assert "Did a `return` get lost?" in read(ask({"twice.py": "def twice(X):\n    2 * X\n"}))


def test_misspelt_name_is_answered_with_the_near_one(ask: Ask) -> None:
    page = read(ask({"twice.py": "def twise(X):\n    return 2 * X\n"}))
    assert "`twice` is not defined" in page
    assert "Did you mean `twise`" in page


def test_untouched_stub_says_to_save_the_file(ask: Ask) -> None:
    stubs = {
        f"{stem}.py": f"def {stem}(X):\n    raise NotImplementedError\n" for stem in ("twice", "fourfold")
    }
    page = read(ask(stubs))
    assert "`twice` in `twice.py` line 1 is not written yet" in page
    assert "only what is saved counts" in page


def test_exercise_that_was_begun_comes_before_an_untouched_one(ask: Ask) -> None:
    files = {
        "twice.py": "def twice(X):\n    raise NotImplementedError\n",
        "fourfold.py": "def fourfold(X):\n    return X\n",
    }
    assert [result.stem for result in ask(files).open] == ["fourfold", "twice"]


def test_check_that_needs_another_is_skipped_with_the_reason(ask: Ask, right: Mapping[str, str]) -> None:
    page = read(ask({"twice.py": right["twice"], "fourfold.py": "def fourfold(X):\n    return 3 * X\n"}))
    assert "Nothing stays nothing.  (skipped)" in page
    assert "1 of 2 exercises done" in page


def test_everything_right_is_said(ask: Ask, right: Mapping[str, str]) -> None:
    page = read(ask({f"{stem}.py": text for stem, text in right.items()}))
    assert "2 of 2 exercises done" in page
    assert page.endswith("All exercises pass their public checks. Well done!")


def test_what_the_code_prints_is_shown_and_cannot_move_the_cursor(ask: Ask) -> None:
    page = read(ask({"twice.py": "def twice(X):\n    print('\\x1b[2Jhello')\n    return X\n"}))
    assert "Printed by your code:" in page
    assert "\\x1b[2Jhello" in page


# The command --------------------------------------------------------------------------------------------


def test_staff_parts_are_neither_needed_nor_run(
    write_course: Any, exercise_type: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    mine = exercise_type(
        "raise SystemExit('the reference was run')", hidden="raise SystemExit('the hidden suite was run')",
        public="import pytest, torch\n\n@pytest.mark.points(1)\ndef test_mine(student, assert_close):\n"
        '    assert_close(student.mine(), torch.ones(()), name="it")\n',
        stub="import torch\n\n\ndef mine():\n    return torch.ones(())\n",
    )  # fmt: skip
    write_course(tmp_path, {}, {"mine": mine})
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    assert main(["check"]) == 0
    said = capsys.readouterr()
    assert "1 of 1 exercises done" in said.out
    assert "solation" not in said.out + said.err  # no word about missing layers
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["exercises", "solutions", "tests"]


def test_file_of_an_exercise_stands_for_that_exercise_of_its_folder(
    handout: Path, right: Mapping[str, str], capsys: Any
) -> None:
    for stem, text in right.items():
        (handout / "exercises" / f"{stem}.py").write_text(text, "utf-8")
    assert main(["check", "exercises/fourfold.py", "--list"]) == 0
    page = capsys.readouterr().out
    assert "Nothing stays nothing." in page
    assert "Every number is doubled." not in page
    assert "1 of 1 exercises done" in page


def test_next_shows_one_exercise_and_newer_changes_in_an_editor(handout: Path, capsys: Any) -> None:
    own = handout / "exercises" / "twice.py"
    swap = handout / "exercises" / ".twice.py.swp"
    swap.write_bytes(b"b0VIM")
    later = own.stat().st_mtime + 60
    os.utime(swap, (later, later))
    assert main(["check", "--next"]) == 0
    page = capsys.readouterr().out
    assert page.strip().startswith("Twice")
    assert "An editor holds newer changes of `twice.py`" in " ".join(page.split())
    assert "Fourfold" not in page


@pytest.mark.parametrize(
    "copy", [".mine.ipynb.swp", "#mine.ipynb#", ".ipynb_checkpoints/mine-checkpoint.ipynb"]
)
def test_newer_copy_of_an_editor_is_noticed_and_an_older_one_is_not(tmp_path: Path, copy: str) -> None:
    (tmp_path / "mine.ipynb").write_text("{}", "utf-8")
    beside = tmp_path / copy
    beside.parent.mkdir(exist_ok=True)
    beside.write_text("{ }", "utf-8")
    saved = (tmp_path / "mine.ipynb").stat().st_mtime
    os.utime(beside, (saved - 60, saved - 60))
    assert unsaved(tmp_path) == unsaved(tmp_path / "mine.ipynb") == []
    os.utime(beside, (saved + 60, saved + 60))
    assert ["`mine.ipynb`" in told for told in unsaved(tmp_path)] == [True]


def test_untouched_extensions_take_no_lines_until_one_is_begun(ask: Ask, right: Mapping[str, str]) -> None:
    standing = ask({"twice.py": "def twice(X):\n    return 3 * X\n"})
    twice, fourfold = standing.exercises
    further = replace(standing, exercises=(twice, fourfold.model_copy(update={"track": "extension"})))
    assert "Fourfold" not in read(further)
    assert "0 of 1 extension exercises done" in read(further)
    begun = ask({"twice.py": right["twice"], "fourfold.py": "def fourfold(X):\n    return X\n"}).exercises[1]
    assert "Fourfold" in read(
        replace(standing, exercises=(twice, begun.model_copy(update={"track": "extension"})))
    )


def test_extension_that_nobody_began_is_offered_and_not_the_thing_to_fix(
    ask: Ask, right: Mapping[str, str]
) -> None:
    def with_extension(files: Mapping[str, str]) -> Standing:
        standing = ask(files)
        twice, fourfold = standing.exercises
        return replace(standing, exercises=(twice, fourfold.model_copy(update={"track": "extension"})))

    offered = (
        "The exercise that counts is done. Hand it in as your course says; 1 extension exercise is there"
    )
    stub = "def fourfold(X):\n    raise NotImplementedError\n"
    untouched = with_extension({"twice.py": right["twice"], "fourfold.py": stub})
    assert untouched.first is None
    assert " ".join(read(untouched).split()).endswith(f"{offered} if you like.")
    begun = with_extension({"twice.py": right["twice"], "fourfold.py": "def fourfold(X):\n    return X\n"})
    page = read(begun)
    assert page.index(offered) < page.index("Every number is taken four times.")
    unfinished = with_extension({"twice.py": "def twice(X):\n    return X\n", "fourfold.py": stub})
    assert "Hand" not in read(unfinished)


def test_next_and_a_name_show_an_untouched_extension(
    handout: Path, right: Mapping[str, str], capsys: Any
) -> None:
    table = handout / "exercises" / "assignment.toml"
    table.write_text(table.read_text() + '\ntrack = "extension"\n')  # of the last one, fourfold
    (handout / "exercises" / "twice.py").write_text(right["twice"], "utf-8")
    for arguments in ([], ["--next"], ["--exercise", "fourfold"]):
        assert main(["check", *arguments]) == 0
        page = capsys.readouterr().out
        assert ("is not written yet" in page) is bool(arguments)
        assert ("Hand it in as your course says" in page) is not bool(arguments)


def test_wrong_folder_names_the_right_one(
    handout: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(handout.parent)
    assert main(["check"]) == 2
    assert "There is one in `handout`: go there with `cd`" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["twice", "twice.py"])
def test_name_without_its_folder_or_ending_is_answered_with_the_one_meant(
    handout: Path, capsys: Any, name: str
) -> None:
    assert main(["check", name]) == 2
    assert "Did you mean `exercises/twice.py`?" in capsys.readouterr().err


def test_folder_without_code_names_the_exercises(handout: Path, capsys: Any) -> None:
    (handout / "empty").mkdir()
    assert main(["check", "empty"]) == 2
    error = capsys.readouterr().err
    assert "holds no Python file and no notebook" in error
    assert str(handout / "exercises") in error


def test_unknown_exercise_is_answered_with_a_near_one(handout: Path, capsys: Any) -> None:
    assert main(["check", "--exercise", "twise"]) == 2
    assert "Did you mean `twice`?" in capsys.readouterr().err
