"""Running again grades what is missing or changed, and nothing else."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def three(students: Any) -> None:
    for student in ("ada", "ben", "cem"):
        students.hand_in(student)


@pytest.fixture
def again(batch: Any, pretence: Any) -> Any:
    """The class graded once; `again(...)` runs it once more and returns who was judged."""
    assert batch().code == 0

    def call(*arguments: str) -> list[str]:
        pretence.judged.clear()
        assert batch(*arguments).code == 0
        return sorted(pretence.judged)

    return call


ALL = ["ada", "ben", "cem"]


def test_nothing_changed_grades_nothing_and_starts_no_host(again: Any, pretence: Any) -> None:
    assert again() == []
    assert pretence.started == 1


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ((), "all 3 results still hold"),
        (("--only", "[ab]*"), "all 2 results that `--only` names still hold"),
        (("--only", "ada"), "the result that `--only` names still holds"),
    ],
)
@pytest.mark.usefixtures("again")
def test_nothing_to_do_is_said(batch: Any, only: tuple[str, ...], said: str) -> None:
    assert f"Nothing to grade: {said}.\n" in batch(*only).err
    assert "Nothing to grade" not in batch(*only, "--quiet").err


def test_changed_submission(again: Any, students: Any) -> None:
    students.hand_in("ben", double="# wrong\ndef double(x): return x\n")
    assert again() == ["ben"]
    assert again() == []


def test_touched_submission_is_the_same(again: Any, students: Any) -> None:
    os.utime(students.path / "ben" / "double.py", (1, 1))
    assert again() == []


def test_new_file_in_a_submission(again: Any, students: Any) -> None:
    (students.path / "cem" / "extra.py").write_text("x = 1\n")
    assert again() == ["cem"]


def test_new_submission(again: Any, students: Any) -> None:
    students.hand_in("dan")
    assert again() == ["dan"]


@pytest.mark.parametrize(
    "changed", ["tests/hidden/test_double.py", "solutions/triple.py", "exercises/double.py"]
)
def test_changed_assignment(again: Any, course: Path, changed: str) -> None:
    with (course / changed).open("a") as handle:
        handle.write("\n# changed\n")
    assert again() == ALL
    assert again() == []


def test_changed_grader(again: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.classroom.staleness.engine_version", lambda: "9.9+new")
    assert again() == ALL
    assert again() == []


def test_other_seed(again: Any) -> None:
    assert again("--seed", "12") == ALL
    assert again() == []


def test_other_isolation(again: Any) -> None:
    assert again("--isolation", "process") == ALL
    assert again("--isolation", "process") == []
    assert again() == ALL


def test_other_exercises(again: Any) -> None:
    assert again("--exercise", "double", "--force") == ALL
    assert again("--exercise", "double") == []
    assert again() == ALL


def test_force(again: Any) -> None:
    assert again("--force") == ALL


def test_only_some(again: Any, students: Any) -> None:
    students.hand_in("ada", triple="# wrong\n")
    students.hand_in("ben", triple="# wrong\n")
    assert again("--only", "B*") == ["ben"]
    assert again() == ["ada"]
    assert again("--only", "cem", "--force") == ["cem"]


@pytest.mark.usefixtures("again")
def test_force_on_one_leaves_the_others_in_date(batch: Any) -> None:
    ended = batch("--only", "cem", "--force")
    assert "out of date" not in ended.out
    assert [line["stale"] for line in ended.summary["submissions"]] == ["", "", ""]


def test_only_some_of_a_new_class_says_what_is_left(batch: Any, pretence: Any) -> None:
    ended = batch("--only", "ada")
    assert (ended.code, pretence.judged) == (0, ["ada"])
    assert "3 submissions: 1 graded, 0 rejected, 0 need a regrade, 2 not graded yet" in ended.out
    assert ended.summary["counts"]["not_graded_yet"] == 2


def test_missing_and_broken_results(again: Any, out: Path) -> None:
    (out / "results" / "ada.json").unlink()
    (out / "results" / "ben.json").write_text('{"schema_version": "1.0", "status": "gra')
    assert again() == ["ada", "ben"]


def test_result_of_somebody_else(again: Any, out: Path) -> None:
    (out / "results" / "ada.json").write_bytes((out / "results" / "ben.json").read_bytes())
    assert again() == ["ada"]


def test_rejected_submission_stays_rejected_until_it_changes(batch: Any, again: Any, students: Any) -> None:
    (students.path / "dan").mkdir()
    first = batch()
    stamp = (first.folder / "results" / "dan.json").stat().st_mtime_ns
    assert (first.folder / "results" / "dan.json").stat().st_mtime_ns == stamp
    assert again() == []
    assert (first.folder / "results" / "dan.json").stat().st_mtime_ns == stamp
    students.hand_in("dan")
    assert again() == ["dan"]


def test_without_paths_the_batch_goes_on_as_it_was(
    grade: Any, pretence: Any, students: Any, out: Path
) -> None:
    asked = ("--isolation", "process", "--exercise", "double", "--jobs", "1")
    assert grade("batch", students.path, "-o", out, *asked).code == 0
    students.hand_in("dan")
    pretence.judged.clear()
    assert grade("batch", "-o", out).code == 0
    assert pretence.judged == ["dan"]


def test_without_paths_a_new_folder_is_refused(grade: Any, out: Path) -> None:
    ended = grade("batch", "-o", out)
    assert (ended.code, out.exists()) == (2, False)
    assert "holds no batch to go on with" in ended.err


def test_folder_of_another_assignment_is_refused(again: Any, batch: Any, course: Path) -> None:
    toml = course / "exercises" / "assignment.toml"
    toml.write_text(toml.read_text().replace('"small"', '"other"'))
    ended = batch()
    assert ended.code == 2
    assert "holds results of assignment `small`" in ended.err


def test_leftovers_of_a_killed_run_go(again: Any, out: Path) -> None:
    (out / "results" / ".ada.json.0011.part").write_text("{")
    again()
    assert not list(out.rglob("*.part"))


@pytest.fixture
def held(out: Path) -> Iterator[None]:
    """Somebody else is at work in the folder."""
    with (out / ".lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@pytest.mark.usefixtures("again", "held")
def test_second_batch_in_the_same_folder_is_refused(batch: Any, pretence: Any, grade: Any, out: Path) -> None:
    pretence.judged.clear()
    ended = batch("--force")
    assert (ended.code, pretence.judged) == (3, [])
    assert "Another `grade batch` is at work" in ended.err
    assert "A batch is at work here now." in grade("status", out).out


def test_lock_of_a_dead_process_does_not_matter(again: Any, out: Path) -> None:
    assert (out / ".lock").is_file()
    assert again("--force") == ALL


def test_interrupt_keeps_what_is_done(batch: Any, pretence: Any, out: Path) -> None:
    def stop(job: str) -> None:
        if job == "ben":
            raise KeyboardInterrupt

    pretence.before_reply = stop
    ended = batch()
    assert ended.code == 130
    assert "interrupted; what is done is kept" in ended.err
    assert ended.scores == {"ada": 6.0, "ben": None, "cem": None}
    pretence.before_reply = lambda job: None
    pretence.judged.clear()
    assert batch().scores == {"ada": 6.0, "ben": 6.0, "cem": 6.0}
    assert pretence.judged == ["ben", "cem"]


def test_status_says_what_is_done_and_what_not(again: Any, grade: Any, students: Any, out: Path) -> None:
    assert "3 of 3 done" in grade("status", out).out
    students.hand_in("ben", double="# wrong\n")
    students.hand_in("dan")
    (students.path / "cem").rename(students.path / "zoe")
    printed = grade("status", out).out
    assert "2: not graded yet: dan, zoe" in printed
    assert "1: the submission changed: ben" in printed
    assert "1: no longer in the input (kept): cem" in printed
    assert "1 of 4 done" in printed


def test_status_of_an_input_that_is_gone(again: Any, grade: Any, students: Any, out: Path) -> None:
    students.path.rename(students.path.with_name("moved"))
    printed = grade("status", out).out
    assert "cannot be looked at" in printed
    assert "3 results are there." in printed


def test_status_of_another_folder_is_wrong_usage(grade: Any, course: Path) -> None:
    ended = grade("status", course)
    assert ended.code == 2
    assert "holds no batch" in ended.err
