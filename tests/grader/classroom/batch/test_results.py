"""What a batch writes: a result each, a summary, grades for a spreadsheet, a table."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.report.schema import report_json_schema


@pytest.fixture
def mixed(students: Any) -> Any:
    """One of each: all right, a mistake, one exercise missing, nothing at all, a broken archive."""
    students.hand_in("ada")
    students.hand_in("ben", double="# wrong\ndef double(x): return x\n")
    students.hand_in("cem", triple="")
    (students.path / "dan").mkdir()
    (students.path / "eve").mkdir()
    (students.path / "eve" / "work.zip").write_bytes(b"PK\x03\x04 broken")
    return students


def test_every_submission_gets_a_valid_result_for_staff(batch: Any, pretence: Any, mixed: Any) -> None:
    ended = batch()
    assert ended.code == 0
    assert sorted(os.listdir(ended.folder / "results")) == [
        f"{n}.json" for n in ("ada", "ben", "cem", "dan", "eve")
    ]
    for student in ("ada", "ben", "cem", "dan", "eve"):
        jsonschema.validate(ended.result(student), report_json_schema())
    assert ended.scores == {"ada": 6.0, "ben": 3.0, "cem": 4.0, "dan": 0.0, "eve": 0.0}
    assert [ended.result(one)["status"] for one in ("cem", "dan", "eve")] == [
        "graded",
        "rejected",
        "rejected",
    ]
    assert ended.result("ada")["seed"] is not None
    assert sorted(pretence.judged) == ["ada", "ben", "cem"]


def test_all_get_the_same_seed_and_the_folder_keeps_it(batch: Any, pretence: Any, mixed: Any) -> None:
    first = batch()
    seeds = {first.result(one)["seed"] for one in ("ada", "ben", "cem")}
    assert seeds == {first.summary["batch"]["seed"]}
    assert batch("--force").result("ada")["seed"] in seeds


def test_count_in_is_count_out(batch: Any, pretence: Any, mixed: Any) -> None:
    (mixed.path / "ada" / ".DS_Store").write_bytes(b"x")
    summary = batch().summary
    entries, counts = summary["entries"], summary["counts"]
    assert entries["in"] == entries["in_submissions"] + entries["in_older_attempts"] + entries["skipped"]
    assert entries["skipped"] == len(summary["skipped"]) == 1
    assert counts["submissions"] == 5 == counts["graded"] + counts["rejected"] + counts["needs_regrade"]
    assert counts["not_graded_yet"] == 0


def test_summary_has_statistics(batch: Any, pretence: Any, mixed: Any) -> None:
    summary = batch().summary
    double, triple = summary["exercises"]
    assert (double["stem"], double["count"], double["highest"], double["lowest"]) == ("double", 5, 4.0, 0.0)
    assert triple["mean"] == pytest.approx(4 / 5)
    values = next(check for check in summary["checks"] if check["id"] == "double::test_values")
    assert values["outcomes"] == {"failed": 1, "passed": 2}
    assert summary["misconceptions"] == [
        {"exercise": "double", "name": "off_by_one", "hint": "Count again.", "submissions": 1}
    ]
    ben = next(line for line in summary["submissions"] if line["id"] == "ben")
    assert ben["lost"] == {"double::test_values": "failed"}
    assert ben["exercises"]["double"] == {"score": 1.0, "max_score": 4.0}


def _grades(folder: Path) -> dict[str, dict[str, str]]:
    text = (folder / "grades.csv").read_bytes().decode("utf-8")
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}


def test_grades_csv_has_a_line_per_submission(batch: Any, pretence: Any, mixed: Any) -> None:
    grades = _grades(batch().folder)
    assert {one: row["score"] for one, row in grades.items()} == {
        "ada": "6.0", "ben": "3.0", "cem": "4.0", "dan": "0.0", "eve": "0.0"
    }  # fmt: skip
    assert (grades["ben"]["double"], grades["ben"]["triple"], grades["ben"]["max_score"]) == (
        "1.0",
        "2.0",
        "6.0",
    )
    assert grades["eve"]["status"] == "rejected"


def test_grades_csv_keeps_ids_and_disarms_formulas(
    batch: Any, pretence: Any, students: Any, tmp_path: Path
) -> None:
    students.hand_in("00123")
    roster = tmp_path / "roster.csv"
    roster.write_text('id,name,email\n00123,"=HYPERLINK(""http://x"")",+a@b.c\n', "utf-8")
    row = _grades(batch("--roster", roster).folder)["00123"]
    assert row["id"] == "00123"
    assert row["name"].startswith("'=HYPERLINK")
    assert not any(value.startswith(("=", "+", "-", "@")) for value in row.values())
    assert b'"00123"' in (batch().folder / "grades.csv").read_bytes()


def test_table_shows_distribution_hardest_checks_and_mistakes(batch: Any, pretence: Any, mixed: Any) -> None:
    out = batch().out
    assert "Hardest checks" in out
    assert "2 of 3 passed" in out
    assert "Commonest mistakes" in out
    assert "off by one" in out
    assert "Rejected (the student can fix it): 2" in out
    assert "5 submissions: 3 graded, 2 rejected, 0 need a regrade" in out
    last = out.splitlines()[-1]
    assert last.startswith("Grades: ")
    assert "/grades.csv, reports: " in last
    assert "/results/, pages for students: " in last
    assert last.endswith("/feedback/")


@pytest.fixture
def extension(course: Path) -> None:
    """Makes `triple` an extension."""
    toml = course / "exercises" / "assignment.toml"
    toml.write_text(toml.read_text("utf-8") + 'track = "extension"\n', "utf-8")


def test_an_extension_that_nobody_attempted_takes_no_row(
    batch: Any, pretence: Any, students: Any, extension: None
) -> None:
    students.hand_in("ada", triple="")
    students.hand_in("ben", triple="", double="# wrong\ndef double(x): return x\n")
    ended = batch()
    assert "1 extension exercise: nobody attempted it" in ended.out
    assert "Triple" not in ended.out
    assert "1 of 2 passed" in ended.out
    assert [one["attempted"] for one in ended.summary["exercises"]] == [2, 0]
    assert [sum(one["outcomes"].values()) for one in ended.summary["checks"]] == [2, 2, 2]


def test_hardest_checks_count_who_attempted_them_and_name_core_exercises_first(
    batch: Any, pretence: Any, students: Any, extension: None
) -> None:
    students.hand_in("ada", triple="")
    students.hand_in("ben", triple="# wrong\ndef triple(x): return x\n")
    students.hand_in("cem", triple="", double="# wrong\ndef double(x): return x\n")
    out = batch().out
    assert "nobody attempted" not in out
    assert "Triple (extension)" in out
    hardest = out.split("Hardest checks")[1].splitlines()[1:3]
    assert [line.split()[:5] for line in hardest] == [
        ["2", "of", "3", "passed", "Double"],
        ["0", "of", "1", "passed", "Triple"],
    ]


def test_quiet_prints_nothing(batch: Any, pretence: Any, mixed: Any) -> None:
    ended = batch("-q")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_progress_goes_to_standard_error(batch: Any, pretence: Any, mixed: Any) -> None:
    ended = batch()
    assert "Layout" in ended.err
    assert "Layout" not in ended.out
    assert "Grading: 5 of 5, 2 rejected" in ended.err
    assert "Grading:" not in ended.out


def test_zip_of_a_class(grade: Any, pretence: Any, mixed: Any, out: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for path in sorted(mixed.path.rglob("*")):
            archive.write(path, path.relative_to(mixed.path))
    ended = grade("batch", tmp_path / "class.zip", "-o", out, "--jobs", "2")
    assert ended.code == 0
    assert ended.scores == {"ada": 6.0, "ben": 3.0, "cem": 4.0, "dan": 0.0, "eve": 0.0}


def test_chosen_exercise_only(batch: Any, pretence: Any, mixed: Any) -> None:
    ended = batch("--exercise", "triple")
    assert ended.scores["ada"] == 2.0
    assert [exercise["stem"] for exercise in ended.result("ada")["exercises"]] == ["triple"]


def test_unknown_exercise_is_wrong_usage(batch: Any, pretence: Any, mixed: Any, out: Path) -> None:
    ended = batch("--exercise", "tripel")
    assert (ended.code, out.exists()) == (2, False)
    assert "Did you mean `triple`?" in ended.err


def test_folder_with_other_things_is_refused(batch: Any, pretence: Any, mixed: Any, out: Path) -> None:
    out.mkdir()
    (out / "thesis.tex").write_text("precious")
    ended = batch()
    assert ended.code == 2
    assert "is not empty and holds no batch" in ended.err
    assert os.listdir(out) == ["thesis.tex"]


def test_jobs_bound_what_is_under_way(batch: Any, pretence: Any, students: Any) -> None:
    for number in range(9):
        students.hand_in(f"s{number}")
    batch("--jobs", "4")
    assert pretence.most_under_way == 4
