"""Who moved, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SLOPPY = "# sloppy\ndef double(x): return 2 * x\n"


@pytest.fixture
def graded(batch: Any, pretence: Any, students: Any) -> Any:
    for student in ("ada", "cem"):
        students.hand_in(student)
    students.hand_in("ben", double=SLOPPY)
    return batch()


@pytest.fixture
def stricter(graded: Any, course: Path, tmp_path: Path, grade: Any, students: Any) -> Path:
    """A second folder, graded after the hidden suite became strict."""
    with (course / "tests" / "hidden" / "test_double.py").open("a") as handle:
        handle.write("\n# strict\n")
    assert grade("batch", students.path, "-o", tmp_path / "new", "--jobs", "1").code == 0
    return tmp_path / "new"


def test_two_folders(grade: Any, graded: Any, stricter: Path) -> None:
    printed = grade("diff", graded.folder, stricter).out
    assert "1 of 3 moved: 0 up, 1 down; 2 the same" in printed
    row = next(line for line in printed.splitlines() if line.startswith("ben"))
    assert row.split()[1:4] == ["6", "3", "-3"]
    assert "suites changed" in printed
    assert "double::test_values passed -> failed" in " ".join(printed.split())


def test_json(grade: Any, graded: Any, stricter: Path) -> None:
    changes = json.loads(grade("diff", graded.folder, stricter, "--json").out)
    assert changes["same"] == 2
    assert [(move["id"], move["change"], move["causes"]) for move in changes["moved"]] == [
        ("ben", -3.0, ["suites changed"])
    ]
    assert changes["by_check"] == [
        {
            "check": "double::test_values",
            "title": "double test_values",
            "newly_passed": 0,
            "no_longer_passed": 1,
        }
    ]


def test_summaries_tell_the_same_as_folders(grade: Any, graded: Any, stricter: Path) -> None:
    from_folders = json.loads(grade("diff", graded.folder, stricter, "--json").out)
    summaries = (graded.folder / "summary.json", stricter / "summary.json")
    from_summaries = json.loads(grade("diff", *summaries, "--json").out)
    for changes in (from_folders, from_summaries):
        del changes["old"], changes["new"]
    assert from_folders == from_summaries


def test_many_checks_of_one_submission_are_counted_by_exercise(
    grade: Any, graded: Any, stricter: Path, tmp_path: Path
) -> None:
    summary = json.loads((stricter / "summary.json").read_text("utf-8"))
    ben = next(line for line in summary["submissions"] if line["id"] == "ben")
    for number in range(4):
        summary["checks"].append({**summary["checks"][0], "id": f"double::test_{number}"})
        ben["lost"][f"double::test_{number}"] = "failed"
    larger = tmp_path / "larger.json"
    larger.write_text(json.dumps(summary), "utf-8")
    printed = " ".join(grade("diff", graded.folder / "summary.json", larger).out.split())
    assert "suites changed; 5 checks of Double" in printed
    assert "->" not in printed


def test_one_folder_compares_the_last_run_with_the_one_before(
    grade: Any, graded: Any, batch: Any, course: Path
) -> None:
    ended = grade("diff", graded.folder)
    assert (ended.code, ended.out) == (0, "There is no earlier run to compare with.\n")
    with (course / "tests" / "hidden" / "test_double.py").open("a") as handle:
        handle.write("\n# strict\n")
    batch()
    assert "1 of 3 moved: 0 up, 1 down" in grade("diff", graded.folder).out


def test_submission_that_changed_is_not_blamed_on_the_suites(
    grade: Any, graded: Any, batch: Any, students: Any
) -> None:
    students.hand_in("ada", triple="# wrong\n")
    batch()
    changes = json.loads(grade("diff", graded.folder, "--json").out)
    assert [(move["id"], move["causes"]) for move in changes["moved"]] == [("ada", ["submission changed"])]


def test_submissions_on_one_side_only(grade: Any, graded: Any, students: Any, tmp_path: Path) -> None:
    (students.path / "ada").rename(students.path / "zoe")
    grade("batch", students.path, "-o", tmp_path / "new", "--jobs", "1")
    changes = json.loads(grade("diff", graded.folder, tmp_path / "new", "--json").out)
    assert (changes["only_old"], changes["only_new"], changes["moved"]) == (["ada"], ["zoe"], [])


def test_rejected_and_regrade_are_named_and_not_zero(
    grade: Any, graded: Any, batch: Any, students: Any, tmp_path: Path
) -> None:
    students.hand_in("ada", double="# kills judge\n" + SLOPPY)
    grade("batch", students.path, "-o", tmp_path / "new", "--jobs", "1")
    changes = json.loads(grade("diff", graded.folder, tmp_path / "new", "--json").out)
    move = changes["moved"][0]
    assert (move["id"], move["after"], move["status_after"], move["change"]) == (
        "ada",
        None,
        "needs_regrade",
        None,
    )
    assert "needs regrade" in grade("diff", graded.folder, tmp_path / "new").out


def test_two_batches_of_one_gradebook(
    grade: Any, pretence: Any, students: Any, tmp_path: Path, course: Path
) -> None:
    students.hand_in("ben", double=SLOPPY)
    url = f"sqlite:///{tmp_path}/all.sqlite"
    ids = []
    for name in ("old", "new"):
        grade("batch", students.path, "-o", tmp_path / name, "--jobs", "1", "--db", url)
        ids.append(json.loads((tmp_path / name / "batch.json").read_text())["id"])
        with (course / "tests" / "hidden" / "test_double.py").open("a") as handle:
            handle.write("\n# strict\n")
    assert "1 of 1 moved" in grade("diff", "--db", url, ids[0], ids[1][:12]).out
    ended = grade("diff", "--db", url, ids[0], "zzz")
    assert (ended.code, "has no batch `zzz`" in ended.err) == (3, True)


def test_what_is_no_batch_is_refused(grade: Any, graded: Any, course: Path) -> None:
    assert grade("diff", graded.folder, course).code == 2
    assert grade("diff", graded.folder, course / "nothing").code == 2
    ended = grade("diff", graded.folder, graded.folder / "batch.json")
    assert (ended.code, "is not the summary.json" in ended.err) == (3, True)


def test_other_exercises_are_said_once(grade: Any, graded: Any, batch: Any) -> None:
    """Where only some were graded, the checks of the others are no news, and neither are checks worth 0."""
    batch("--exercise", "triple", "--force")
    printed = " ".join(grade("diff", graded.folder).out.split())
    assert "3 of 3 moved: 0 up, 3 down" in printed
    said = (
        "Other exercises were graded for 3 of those that moved, whose checks are left out here: only before"
    )
    assert f"{said}: Double" in printed
    assert "double::" not in printed
    batch()
    changes = json.loads(grade("diff", graded.folder, "--json").out)
    assert (changes["only_graded_before"], changes["only_graded_after"]) == ([], ["double"])
    assert (changes["by_check"], changes["new_checks"], changes["gone_checks"]) == ([], [], [])
    assert [(move["change"], move["causes"], move["checks"]) for move in changes["moved"]] == [
        (4.0, ["other exercises"], [])
    ] * 3


def test_check_that_earned_nobody_anything_has_no_row(grade: Any, graded: Any, tmp_path: Path) -> None:
    summary = json.loads((graded.folder / "summary.json").read_text("utf-8"))
    ada = next(line for line in summary["submissions"] if line["id"] == "ada")
    ada["score"], ada["lost"] = 2.0, {"double::test_values": "failed", "double::test_zero": "failed"}
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps(summary), "utf-8")
    ada["score"], ada["lost"] = 5.0, {"double::test_zero": "raised"}
    after.write_text(json.dumps(summary), "utf-8")
    changes = json.loads(grade("diff", before, after, "--json").out)
    assert [row["check"] for row in changes["by_check"]] == ["double::test_values"]


def test_a_long_list_of_new_checks_is_cut_at_a_name(grade: Any, graded: Any, tmp_path: Path) -> None:
    summary = json.loads((graded.folder / "summary.json").read_text("utf-8"))
    summary["checks"] += [{**summary["checks"][0], "id": f"double::test_{number}"} for number in range(50)]
    larger = tmp_path / "larger.json"
    larger.write_text(json.dumps(summary), "utf-8")
    printed = " ".join(grade("diff", graded.folder / "summary.json", larger).out.split())
    assert "double::test_19 and 30 more" in printed
