from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.classroom.records import Identity

ADA, BOB = Identity(lms_id="501"), Identity(lms_id="999")


def test_lists_say_what_was_not_written(
    grade: Any, make_class: Any, handed: Any, sample: Any, tmp_path: Path
) -> None:
    into = sample("canvas_gradebook.csv")
    folder = make_class(handed("ada", ADA, 17.0), handed("bob", BOB, 1.0))
    code, out, err = grade("export", "canvas", folder, "--into", into, "--column", "4101")
    assert code == 0
    assert "1 changed, 0 had their grade already, 0 kept." in out
    assert "In the file, without a submission (1):\n  Núñez-O'Brien, Ana María (line 5)" in err
    assert "Submissions that are not in the file (1):\n  999 (bob): has no row in the file" in err
    written = folder / "exports" / "canvas" / into.name
    assert b",17," in written.read_bytes()


def test_dry_run_shows_the_changes_and_writes_nothing(
    grade: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    folder = make_class(handed("ada", ADA, 17.0))
    into = sample("canvas_gradebook.csv")
    _, out, _ = grade("export", "canvas", folder, "--into", into, "--column", "4101", "--dry-run")
    assert "Lovelace, Ada (line 4): `11.50` -> `17`" in out
    assert not (folder / "exports").exists()


def test_the_exported_file_is_never_written_over(
    grade: Any, make_class: Any, handed: Any, sample: Any
) -> None:
    folder = make_class(handed("ada", ADA, 17.0))
    into = sample("canvas_gradebook.csv")
    before = into.read_bytes()
    code, _, err = grade("export", "canvas", folder, "--into", into, "--column", "4101", "-o", into)
    assert code == 2
    assert "is the file that the LMS exported" in err
    assert into.read_bytes() == before


def test_further_files_lie_beside_the_first(
    grade: Any, make_class: Any, handed: Any, sample: Any, tmp_path: Path
) -> None:
    folder = make_class(handed("ada", Identity(participant="90210"), 17.0))
    (tmp_path / "out").mkdir()
    grade("export", "moodle", folder, "--into", sample("moodle_en.csv"), "-o", tmp_path / "out" / "mine.csv")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["mine.csv", "moodle-feedback.zip"]


def test_a_new_file_says_how_many_students_it_holds(grade: Any, make_class: Any, handed: Any) -> None:
    folder = make_class(handed("ada", ADA, 17.0), handed("bob", BOB, 1.0))
    assert grade("export", "csv", folder)[1].startswith("2 students written.\n")
    assert grade("export", "csv", folder, "--dry-run")[1].endswith("2 students would be written.\n")


def test_what_does_not_fit_is_wrong_usage(
    grade: Any, make_class: Any, handed: Any, sample: Any, tmp_path: Path
) -> None:
    folder = make_class(handed("ada", ADA, 17.0))
    (tmp_path / "other.csv").write_text("nothing of this kind")
    for chosen in (
        ("--into", sample("canvas_gradebook.csv"), "--column", "unknown"),
        (),
        ("--into", tmp_path / "other.csv"),
    ):
        code, out, err = grade("export", "canvas", folder, *chosen)
        assert (code, out, err.count("\n")) == (2, "", 1)
