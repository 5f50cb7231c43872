"""A class is found, filtered, sorted and paged as asked, whatever people and files are called."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.gradebook import Gradebook, StoredRun, counting_grades, open_database
from grader.classroom.records import Found, Identity
from grader.report.schema import (
    AssignmentInfo,
    CheckResult,
    EnvironmentInfo,
    ExerciseResult,
    IsolationInfo,
    Report,
    SubmissionInfo,
)
from grader.report.writing import dump_report
from grader.review.desk import Desk, open_desk
from grader.review.desk_query import SORTS, Query
from grader.review.desk_records import DeskError, NoSuchSubmission

SIZE = 2000
BEGAN = datetime(2026, 1, 5, tzinfo=timezone.utc)
HOSTILE_NAMES = (
    "'; DROP TABLE runs; --", "100% _sure_", "<script>alert(1)</script>", "\u202eevil\u202c",
    "a\x1b[2Jb", "Ünïcödé 名前",
)  # fmt: skip


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, dict[str, float]]]:
    """A desk on 2,000 submissions, and the score of each."""
    folder = tmp_path_factory.mktemp("large")
    settings = BatchSettings(id="b", created_at=BEGAN, assignment="a", assignment_root=str(folder), seed=1)
    BatchFolder(folder).write_settings(settings)
    rng = random.Random(5)
    wrong = {f"s{number:04d}": rng.randrange(4) for number in range(SIZE)}
    with open_database(BatchFolder(folder).gradebook) as engine:
        book = Gradebook(engine, "b")
        people = [
            Found(name, Identity(name=f"{rng.choice('abcd')}{name[::-1]}", section=f"{n % 7}"), ())
            for n, name in enumerate(wrong)
        ]
        book.enter_class(settings, "A", people)
        book.record([_run(name, count, n) for n, (name, count) in enumerate(wrong.items())])
    with open_desk(folder) as desk:
        yield desk, {name: 3.0 - count for name, count in wrong.items()}


def _run(name: str, wrong: int, number: int) -> StoredRun:
    """A report in which the first `wrong` of three checks fail."""
    checks = tuple(
        CheckResult.model_construct(
            id=f"own::{n}", title=f"Check {n}.", visibility="hidden",
            outcome="failed" if n < wrong else "passed", score=0.0 if n < wrong else 1.0, max_score=1.0,
            message=f"Off by {number}." if n < wrong else None,
            staff_message=None, hint=None, frames=(), diagnosis=None, devices={}, duration_s=0.0,
        )
        for n in range(3)
    )  # fmt: skip
    exercise = ExerciseResult(
        stem="own", title="Own", status="partial" if wrong else "passed", score=3.0 - wrong, max_score=3.0,
        checks=checks,
    )  # fmt: skip
    report = Report(
        status="graded", score=3.0 - wrong, max_score=3.0,
        assignment=AssignmentInfo(id="a", title="A", digest="d"), submission=SubmissionInfo(id=name),
        exercises=(exercise,), seed=1, started_at=BEGAN + timedelta(seconds=number), duration_s=1.0,
        environment=EnvironmentInfo(
            grader="1", python="3", torch="2", platform="p", isolation=IsolationInfo(level="strict")
        ),
    )  # fmt: skip
    return StoredRun(report, dump_report(report, "staff"))


def test_pages_of_a_large_class_hold_everybody_once(large: tuple[Desk, dict[str, float]]) -> None:
    desk, scores = large
    seen: list[str] = []
    first = desk.listing(Query(sort="score", per_page=300))
    for page in range(1, first.pages + 1):
        listing = desk.listing(Query(sort="score", per_page=300, page=page))
        seen += [line.id for line in listing.lines]
        assert all(line.score == scores[line.id] for line in listing.lines)
    assert (first.total, first.pages) == (SIZE, 7)
    assert sorted(seen) == sorted(scores)
    assert [scores[one] for one in seen] == sorted(scores.values())
    assert tuple(seen) == desk.ids(Query(sort="score"))


@pytest.mark.parametrize("sort", SORTS)
def test_both_directions_hold_everybody(large: tuple[Desk, dict[str, float]], sort: str) -> None:
    desk, scores = large
    up, down = desk.ids(Query(sort=sort)), desk.ids(Query(sort=sort, descending=True))
    assert sorted(up) == sorted(down) == sorted(scores)
    if sort in ("id", "name"):
        assert up == down[::-1]


def test_filters_counts_and_distribution_of_a_large_class(large: tuple[Desk, dict[str, float]]) -> None:
    desk, scores = large
    facets, spread = desk.facets(), desk.distribution()
    for lost in (1, 2, 3):
        expected = {name for name, score in scores.items() if score <= 3.0 - lost}
        assert set(desk.ids(Query(check=f"own::{lost - 1}"))) == expected
        assert facets.checks[lost - 1].outcomes == {"failed": len(expected)}
    assert set(desk.ids(Query(exercise="own", outcome="passed"))) == {
        n for n, s in scores.items() if s == 3.0
    }
    assert facets.exercises[0].not_full == sum(score < 3.0 for score in scores.values())
    assert (spread.count, sum(one.count for one in spread.bins)) == (SIZE, SIZE)
    assert spread.mean == pytest.approx(sum(scores.values()) / SIZE)
    assert spread.bins[-1].count == sum(score == 3.0 for score in scores.values())


def test_clusters_of_a_large_class_put_equal_failures_together(large: tuple[Desk, dict[str, float]]) -> None:
    desk, scores = large
    clusters = desk.clusters()
    by_score = {3.0 - len(one.checks): set(one.members) for one in clusters}
    assert by_score == {
        lost: {name for name, score in scores.items() if score == lost} for lost in (0.0, 1.0, 2.0)
    }
    assert [one.size for one in clusters] == sorted((one.size for one in clusters), reverse=True)
    assert set(desk.ids(Query(cluster=clusters[0].key))) == set(clusters[0].members)


def test_standings_say_what_the_gradebook_works_out(large: tuple[Desk, dict[str, float]]) -> None:
    desk, _ = large
    desk.override("ta", ("s0001", "s0500"), "own", 1.5, "half", desk.version())
    grades = {grade.submission: grade.score for grade in counting_grades(desk.engine, desk.batch)}
    lines = {
        line.id: line.score
        for page in range(1, 5)
        for line in desk.listing(Query(page=page, per_page=500)).lines
    }
    assert lines == grades
    assert grades["s0500"] == 1.5


def test_neighbours_follow_the_listing(large: tuple[Desk, dict[str, float]]) -> None:
    desk, _ = large
    query = Query(check="own::2", sort="name", descending=True)
    ids = desk.ids(query)
    middle = desk.around(ids[7], query)
    assert (middle.previous, middle.next, middle.position, middle.total) == (ids[6], ids[8], 8, len(ids))
    assert desk.around(ids[0], query).previous is None
    assert desk.around(ids[-1], query).next is None
    assert desk.around("nobody", query).position == 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(misconception="squares_instead"), {"ben", "cem", "dan"}),
        (Query(outcome="raised"), {"eve", "fay"}),
        (Query(exercise="double"), {"ben", "cem", "dan", "eve", "fay", "gus"}),
        (Query(exercise="double", outcome="passed"), {"ada"}),
        (Query(exercise="triple"), set()),
        (Query(check="double::test_values", outcome="failed"), {"ben", "cem", "dan", "gus"}),
        (Query(note="`open` reads or writes files."), {"gus"}),
        (Query(search="A"), {"ada", "dan", "fay"}),
        (Query(search="e n", misconception="squares_instead"), {"ben"}),
        (Query(status="needs_regrade"), set()),
    ],
)
def test_filter(desk: Desk, query: Query, expected: set[str]) -> None:
    assert set(desk.ids(query)) == expected
    assert desk.listing(query).total == len(expected)
    assert desk.distribution(query).count == len(expected)


def test_filters_by_what_people_did(desk: Desk) -> None:
    desk.mark("ta", ("ada", "ben"), True, desk.version())
    desk.override("ta", "cem", "double", 4.0, "fine", desk.version())
    desk.comment("ta", ("dan", "eve"), "Look.", desk.version())
    assert set(desk.ids(Query(done=True))) == {"ada", "ben"}
    assert set(desk.ids(Query(overridden=True))) == {"cem"}
    assert set(desk.ids(Query(commented=True))) == {"dan", "eve"}
    assert len(desk.ids(Query(done=False, overridden=False, commented=False))) == 2
    line = {one.id: one for one in desk.listing().lines}["cem"]
    assert (line.score, line.exercises, line.is_overridden) == (6.0, {"double": 4.0, "triple": 2.0}, True)


def test_never_graded_and_needing_a_regrade_are_told_apart(made: Callable[..., Any]) -> None:
    one = made()
    one.hand_in("ada")
    one.hand_in("ben")
    one.grade(status="needs_regrade")
    one.grade(only=("ada",))
    one.grade(status="needs_regrade", only=("ada",))
    desk = one.desk()
    lines = {line.id: line for line in desk.listing().lines}
    assert (lines["ada"].status, lines["ada"].score, lines["ada"].newer_failed) == ("graded", 6.0, True)
    assert (lines["ben"].status, lines["ben"].score) == ("needs_regrade", None)
    assert lines["ada"].runs == 3
    assert desk.ids(Query(sort="score"))[-1] == "ben"
    assert desk.distribution().without_score == 1
    assert desk.clusters(least=1) == ()


def test_who_has_left_the_input_stays_and_is_marked(graded: Any) -> None:
    for path in sorted((graded.input / "gus").iterdir()):
        path.unlink()
    (graded.input / "gus").rmdir()
    graded.grade()
    lines = {line.id: line.in_class for line in graded.desk().listing().lines}
    assert lines == {**dict.fromkeys(lines, True), "gus": False}
    assert "gus" not in graded.grades_csv()


def test_hostile_names_are_found_and_harm_nothing(tmp_path: Path) -> None:
    settings = BatchSettings(id="b", created_at=BEGAN, assignment="a", assignment_root=str(tmp_path), seed=1)
    BatchFolder(tmp_path).write_settings(settings)
    with open_database(BatchFolder(tmp_path).gradebook) as engine:
        people = [Found(f"s{n}", Identity(name=name), ()) for n, name in enumerate(HOSTILE_NAMES)]
        Gradebook(engine, "b").enter_class(settings, "A", people)
    with open_desk(tmp_path) as desk:
        for number, name in enumerate(HOSTILE_NAMES):
            assert desk.ids(Query(search=name)) == (f"s{number}",)
        assert len(desk.listing().lines) == len(HOSTILE_NAMES)
        shown = "".join(line.name for line in desk.listing().lines)
        assert not set(shown) & {"\u202e", "\x1b"}
        assert desk.ids(Query(search="%")) == ("s1",)
        assert desk.ids(Query(search="_")) == ("s1",)
        assert desk.ids(Query(search="\0")) == ()
        assert desk.ids(Query(cluster="' OR 1=1", check="\0", note="%", misconception="x'")) == ()


def test_query_survives_its_address() -> None:
    query = Query(
        search="a & b", sort="score", descending=True, check="x::y", done=False, commented=True, page=3
    )
    assert Query.from_params(query.params()) == query
    assert Query().params() == {}
    assert query.params(page=1)["done"] == "no"
    assert "page" not in query.params(page=1)
    assert (query.is_filtered, Query(page=4, sort="id").is_filtered) == (True, False)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"sort": "shoe size"}, "Nothing is sorted by"),
        ({"outcome": "exploded"}, "no outcome"),
        ({"page": "0"}, "no page 0"),
        ({"page": "-1"}, "whole number"),
        ({"page": "1" * 40}, "no page"),
        ({"page": "²"}, "whole number"),
        ({"per_page": "100000"}, "1 to 500"),
        ({"done": "maybe"}, "yes or no"),
    ],
)
def test_address_that_says_no_query_is_refused(params: dict[str, str], said: str) -> None:
    with pytest.raises(DeskError, match=said):
        Query.from_params(params)


def test_page_beyond_the_last_is_the_last(desk: Desk) -> None:
    listing = desk.listing(Query(page=99, per_page=3))
    assert (listing.page, listing.pages, len(listing.lines)) == (3, 3, 1)
    assert desk.listing(Query(search="nobody")).pages == 1


def test_folder_without_a_batch_or_gradebook_is_refused(graded: Any, tmp_path: Path) -> None:
    with pytest.raises(DeskError, match="holds no batch"), open_desk(tmp_path):
        pass
    for path in graded.out.glob("gradebook.sqlite*"):
        path.unlink()
    with pytest.raises(DeskError, match="no gradebook"):
        graded.desk()


def test_unknown_submission(desk: Desk) -> None:
    for name in ("\0", "\ud800", "ben\n"):
        with pytest.raises(NoSuchSubmission):
            desk.submission(name)
        with pytest.raises(NoSuchSubmission):
            desk.mark("ta", name, True, 0)
    assert desk.ids(Query(check="\ud800", search="\ud800", cluster="\ud800")) == ()
    assert desk.report("\ud800") is None
    with pytest.raises(NoSuchSubmission):
        desk.submission("nobody")
    with pytest.raises(NoSuchSubmission):
        desk.source_files("../../etc/passwd")
    assert desk.cluster("nonsense") is None
    assert desk.report("nonsense") is None
