"""Every run is kept; which grade counts is a query; a person's word is a row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, func, select, text

from grader.classroom.gradebook import (
    GradebookError,
    Override,
    add_override,
    counting_grades,
    list_overrides,
    list_runs,
    open_database,
    tables,
)

WRONG = "# wrong\ndef double(x): return x\n"


@pytest.fixture
def book(out: Path) -> Iterator[Any]:
    """`book()`: the gradebook of the folder, opened."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(open_database(out / "gradebook.sqlite"))


@pytest.fixture
def graded(batch: Any, pretence: Any, students: Any) -> Any:
    students.hand_in("ada")
    students.hand_in("ben", double=WRONG)
    return batch()


def _batch(engine: Engine) -> str:
    with engine.connect() as connection:
        return str(connection.execute(select(tables.batches.c.id)).scalar_one())


def _scores(engine: Engine) -> dict[str, float | None]:
    return {grade.submission: grade.score for grade in counting_grades(engine, _batch(engine))}


def _count(engine: Engine, table: Any) -> int:
    with engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def test_runs_with_report_exercises_and_checks(graded: Any, book: Any) -> None:
    engine = book()
    with engine.connect() as connection:
        row = connection.execute(select(tables.runs).where(tables.runs.c.submission == "ben")).one()
        checks = connection.execute(select(tables.checks).where(tables.checks.c.run == row.id)).all()
    assert row.report == (graded.folder / "results" / "ben.json").read_text("utf-8")
    assert (row.score, row.max_score, row.status) == (3.0, 6.0, "graded")
    assert row.started_at.tzinfo is not None
    assert {check.id: check.outcome for check in checks} == {
        "double::test_values": "failed", "double::test_zero": "passed", "triple::test_values": "passed"
    }  # fmt: skip
    assert _count(engine, tables.exercises) == 4


def test_running_again_keeps_both_runs_and_the_last_counts(
    graded: Any, batch: Any, students: Any, book: Any
) -> None:
    students.hand_in("ben")
    batch()
    engine = book()
    runs = list(list_runs(engine, _batch(engine), "ben"))
    assert [run.score for run in runs] == [3.0, 6.0]
    assert runs[0].files != runs[1].files
    assert _scores(engine) == {"ada": 6.0, "ben": 6.0}


def test_run_that_needs_a_regrade_is_kept_and_does_not_count(
    graded: Any, batch: Any, students: Any, book: Any
) -> None:
    students.hand_in("ben", double="# kills judge\n" + WRONG)
    ended = batch()
    engine = book()
    runs = list(list_runs(engine, _batch(engine), "ben"))
    assert [run.status for run in runs] == ["graded", "needs_regrade", "needs_regrade"]
    grade = next(one for one in counting_grades(engine, _batch(engine)) if one.submission == "ben")
    assert (grade.score, grade.newer_failed) == (3.0, True)
    assert "a later run needs a regrade" in (ended.folder / "grades.csv").read_text()


def test_never_graded_has_no_score(batch: Any, pretence: Any, students: Any, book: Any) -> None:
    students.hand_in("bad", double="# kills judge\n" + WRONG)
    batch()
    engine = book()
    assert _scores(engine) == {"bad": None}


def test_lost_gradebook_is_made_again_from_the_results(
    graded: Any, batch: Any, pretence: Any, out: Path, book: Any
) -> None:
    for path in out.glob("gradebook.sqlite*"):
        path.unlink()
    pretence.judged.clear()
    batch()
    engine = book()
    assert (pretence.judged, _scores(engine)) == ([], {"ada": 6.0, "ben": 3.0})


def test_writing_again_changes_nothing(graded: Any, batch: Any, book: Any) -> None:
    batch()
    batch()
    engine = book()
    assert (_count(engine, tables.runs), _count(engine, tables.batches)) == (2, 1)


def test_override_of_a_check_and_of_an_exercise(graded: Any, batch: Any, book: Any, out: Path) -> None:
    engine = book()
    batch_id = _batch(engine)
    add_override(engine, batch_id, Override("ben", "double", 2.5, "ta", "half right", "double::test_values"))
    assert _scores(engine)["ben"] == 5.5
    add_override(engine, batch_id, Override("ben", "double", 4.0, "prof", "fine"))
    assert _scores(engine)["ben"] == 6.0
    add_override(engine, batch_id, Override("ben", "double", None, "prof", "no, it is not"))
    assert _scores(engine)["ben"] == 5.5
    assert [one.who for one in list_overrides(engine, batch_id)] == ["ta", "prof", "prof"]
    batch()
    line = next(row for row in (out / "grades.csv").read_text().splitlines() if '"ben"' in row)
    assert ("5.5" in line, "changed by staff" in line) == (True, True)


def test_override_outlives_a_new_run(graded: Any, batch: Any, book: Any) -> None:
    engine = book()
    add_override(engine, _batch(engine), Override("ben", "double", 3.5, "ta", "close"))
    batch("--force")
    assert _scores(engine)["ben"] == 5.5


@pytest.mark.parametrize(
    ("override", "said"),
    [
        (Override("nobody", "double", 1.0, "ta", "x"), "no submission `nobody`"),
        (Override("ben", "double", -1.0, "ta", "x"), "from 0 on"),
        (Override("ben", "double", float("nan"), "ta", "x"), "from 0 on"),
        (Override("ben", "double", 1.0, " ", "x"), "who made it"),
    ],
)
def test_override_that_makes_no_sense_is_refused(graded: Any, book: Any, override: Any, said: str) -> None:
    engine = book()
    with pytest.raises(GradebookError, match=said):
        add_override(engine, _batch(engine), override)


def test_people_are_brought_up_to_date(graded: Any, batch: Any, book: Any, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,email\nada,Ada L.,a@b.c\nben,Ben,b@b.c\n")
    batch("--roster", roster)
    engine = book()
    people = {grade.submission: grade.person["name"] for grade in counting_grades(engine, _batch(engine))}
    assert people == {"ada": "Ada L.", "ben": "Ben"}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("no url", "is not the URL of a database"),
        ("martian://x/y", "cannot be used"),
        ("sqlite:////nonexistent/folder/book.sqlite", "unable to open"),
    ],
)
def test_database_that_cannot_be_used_stops_before_grading(
    batch: Any, pretence: Any, students: Any, url: str, said: str
) -> None:
    students.hand_in("ada")
    ended = batch("--db", url)
    assert (ended.code, pretence.judged) == (3, [])
    assert said in ended.err


def test_gradebook_of_a_newer_grader_is_refused(graded: Any, batch: Any, out: Path) -> None:
    engine = create_engine(f"sqlite:///{out}/gradebook.sqlite")
    with engine.begin() as connection:
        connection.execute(text("UPDATE about SET version = 99"))
    engine.dispose()
    ended = batch()
    assert ended.code == 3
    assert "has version 99" in ended.err


def test_gradebook_in_postgresql(batch: Any, pretence: Any, students: Any, postgres: str, out: Path) -> None:
    students.hand_in("ada")
    students.hand_in("ben", double=WRONG)
    assert batch("--db", postgres).code == 0
    students.hand_in("ben")
    assert batch("--db", postgres).code == 0
    with open_database(postgres) as engine:
        assert _scores(engine) == {"ada": 6.0, "ben": 6.0}
        assert _count(engine, tables.runs) == 3
        add_override(engine, _batch(engine), Override("ben", "double", 1.0, "ta", "why"))
        assert _scores(engine)["ben"] == 3.0
    assert not (out / "gradebook.sqlite").exists()


def test_a_class_that_is_read_in_parts_has_the_same_grades(
    graded: Any, students: Any, batch: Any, book: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cem", "dan", "eve"):
        students.hand_in(name, triple="")
    batch()
    engine = book()
    at_once = counting_grades(engine, _batch(engine))
    monkeypatch.setattr("grader.classroom.gradebook.actions.IDS_AT_ONCE", 2)
    assert counting_grades(engine, _batch(engine)) == at_once
    assert [grade.submission for grade in at_once] == ["ada", "ben", "cem", "dan", "eve"]
