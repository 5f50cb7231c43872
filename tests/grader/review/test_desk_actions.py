"""What a TA does counts, shows, can be taken back, and never takes another's work away."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from grader.classroom.gradebook import Override, add_override, list_overrides
from grader.review.desk import Desk
from grader.review.desk_query import Query
from grader.review.desk_records import ConflictError, DeskError, NoSuchSubmission, ReadOnlyError

VALUES = "double::test_values"
HOSTILE = "<script>alert('x')</script> \u202ereversed \x1b[31mred\x00 </textarea>"


def _scores(desk: Desk) -> dict[str, float | None]:
    return {line.id: line.score for line in desk.listing().lines}


def _texts(desk: Desk, submission: str) -> list[str]:
    return [comment.text for comment in desk.submission(submission).comments]


def test_override_of_a_check_counts_and_says_who_and_why(desk: Desk, graded: Any) -> None:
    done = desk.override("Mei", "ben", "double", 2.5, "half right", desk.version(), VALUES)
    view = desk.submission("ben")
    check = view.exercises[0].checks[0]
    assert (view.grade.score, view.exercises[0].score, view.exercises[0].given) == (5.5, 3.5, 1.0)
    assert (check.score, check.result.score) == (2.5, 0.0)
    assert check.override is not None
    assert (check.override.who, check.override.why) == ("Mei", "half right")
    assert done.action.what == "Gave 2.5 points for “Every element is right.” of “Double”."
    assert (done.warning, view.version) == ("", done.action.number)
    assert '"graded",5.5,6.0,3.5,2.0' in graded.grades_csv()["ben"]


def test_override_of_a_cluster_is_one_action(desk: Desk, graded: Any) -> None:
    cluster = desk.clusters(Query(misconception="squares_instead"))[0]
    assert (cluster.title, cluster.members) == ("Squares instead", ("ben", "cem", "dan"))
    done = desk.override("ta", cluster.members, "double", 3.0, "nearly", desk.version())
    assert (done.action.submissions, len(desk.history())) == (3, 1)
    assert {name for name, score in _scores(desk).items() if score == 5.0} == {"ben", "cem", "dan"}
    assert all("changed by staff" in graded.grades_csv()[name] for name in cluster.members)


def test_taking_an_override_back_gives_the_graders_points(desk: Desk) -> None:
    desk.override("ta", "ben", "double", 4.0, "fine", desk.version())
    desk.override("prof", "ben", "double", None, "no, it is not", desk.version())
    view = desk.submission("ben")
    assert (view.grade.score, view.exercises[0].override) == (3.0, None)
    assert [action.who for action in view.history] == ["prof", "ta"]


def test_comment_on_whole_check_and_line(desk: Desk) -> None:
    desk.comment("ta", "ben", "Good start.", desk.version())
    desk.comment("ta", "ben", "Doubling is not squaring.", desk.version(), "double", VALUES)
    desk.comment("ta", "ben", "Here.", desk.version(), path="double.py", line=3, staff_only=True)
    comments = desk.submission("ben").comments
    assert [(c.exercise, c.check, c.path, c.line, c.staff_only) for c in comments] == [
        ("", "", "", None, False), ("double", VALUES, "", None, False), ("", "", "double.py", 3, True)
    ]  # fmt: skip
    assert all(comment.is_current_run and comment.who == "ta" for comment in comments)


def test_comment_is_changed_and_withdrawn_and_its_history_stays(desk: Desk) -> None:
    desk.comment("ta", ("ben", "cem"), "Frist.", desk.version())
    thread = desk.submission("ben").comments[0].thread
    desk.revise_comment("mei", "ben", thread, "First.", desk.version())
    comment = desk.submission("ben").comments[0]
    assert (comment.text, comment.who) == ("First.", "mei")
    assert [version.text for version in comment.versions] == ["Frist.", "First."]
    assert _texts(desk, "cem") == ["Frist."]
    withdrawn = desk.revise_comment("mei", "ben", thread, None, desk.version())
    assert _texts(desk, "ben") == []
    desk.undo("mei", withdrawn.action.number, desk.version())
    assert _texts(desk, "ben") == ["First."]


def test_done_and_graded_again_since(desk: Desk, graded: Any) -> None:
    desk.mark("ta", "ben", True, desk.version())
    view = desk.submission("ben")
    assert (view.is_done, view.done_by) == (True, "ta")
    assert desk.facets().done == 1
    desk.mark("mei", "ben", False, desk.version())
    assert not desk.submission("ben").is_done


def test_new_run_keeps_what_people_said(desk: Desk, graded: Any) -> None:
    desk.override("ta", "ben", "double", 2.0, "half", desk.version(), VALUES)
    desk.comment("ta", "ben", "Line!", desk.version(), path="double.py", line=2)
    desk.mark("ta", "ben", True, desk.version())
    graded.grade(only=("ben",))
    view = desk.submission("ben")
    assert (view.grade.score, len(view.runs)) == (5.0, 2)
    assert (view.comments[0].text, view.comments[0].is_current_run) == ("Line!", False)


ACTS: dict[str, Callable[[Desk], Any]] = {
    "override of a check": lambda d: d.override(
        "ta", ("ben", "cem"), "double", 1.5, "x", d.version(), VALUES
    ),
    "override of an exercise": lambda d: d.override("ta", ("ben", "cem"), "double", 1.5, "x", d.version()),
    "override taken back": lambda d: d.override("ta", ("ben", "cem"), "triple", None, "x", d.version()),
    "comment": lambda d: d.comment("ta", ("ben", "cem"), "Hm.", d.version()),
    "comment changed": lambda d: d.revise_comment(
        "ta", ("ben", "cem"), d.submission("ben").comments[0].thread, "New.", d.version()
    ),
    "comment withdrawn": lambda d: d.revise_comment(
        "ta", ("ben", "cem"), d.submission("ben").comments[0].thread, None, d.version()
    ),
    "done": lambda d: d.mark("ta", ("ben", "cem"), True, d.version()),
    "not done": lambda d: d.mark("ta", ("ben", "cem"), False, d.version()),
}


def _state(desk: Desk, graded: Any) -> object:
    """All that an act may change."""
    return (
        [
            (v.grade.score, v.exercises, v.is_done, [(c.text, c.staff_only) for c in v.comments])
            for v in (desk.submission(one) for one in ("ben", "cem", "dan"))
        ],
        graded.grades_csv(),
        desk.listing(Query(sort="score")).lines,
    )


@pytest.mark.parametrize("act", ACTS)
def test_undo_takes_back_exactly_that_act_and_undoing_the_undo_does_it_again(
    desk: Desk, graded: Any, act: str
) -> None:
    desk.override("prof", ("ben", "cem", "dan"), "triple", 1.0, "before", desk.version())
    desk.comment("prof", ("ben", "cem", "dan"), "Before.", desk.version())
    desk.mark("prof", "cem", True, desk.version())
    before = _state(desk, graded)
    number = ACTS[act](desk).action.number
    after = _state(desk, graded)
    assert after != before
    undone = desk.undo("ta", number, desk.version())
    assert _state(desk, graded) == before
    assert desk.action(number).undone_by == undone.action.number  # type: ignore[union-attr]
    again = desk.undo("ta", undone.action.number, desk.version())
    assert _state(desk, graded) == after
    assert again.action.what.startswith("Did again: ")
    desk.undo("ta", again.action.number, desk.version())
    assert _state(desk, graded) == before
    assert len(desk.history()) == 7


def test_undo_of_an_older_act_leaves_later_ones(desk: Desk) -> None:
    first = desk.override("ta", ("ben", "cem"), "double", 1.5, "x", desk.version())
    desk.override("prof", "ben", "double", 2.5, "y", desk.version())
    desk.undo("ta", first.action.number, desk.version())
    scores = _scores(desk)
    assert (scores["ben"], scores["cem"]) == (4.5, 3.0)


def test_undo_twice_is_a_conflict_that_says_who_was_first(desk: Desk) -> None:
    done = desk.comment("ta", "ben", "x", desk.version())
    seen = desk.version()
    desk.undo("mei", done.action.number, seen)
    with pytest.raises(ConflictError, match="mei") as told:
        desk.undo("ta", done.action.number, seen)
    assert told.value.meanwhile[0].kind == "undo"


def test_same_thing_meanwhile_is_a_conflict_and_nothing_is_lost(desk: Desk, graded: Any) -> None:
    seen = desk.version()
    desk.override("mei", "ben", "double", 2.0, "two", seen, VALUES)
    with pytest.raises(ConflictError) as told:
        desk.override("ta", ("ben", "cem"), "double", 3.0, "three", seen, VALUES)
    assert [(one.who, one.why) for one in told.value.meanwhile] == [("mei", "two")]
    assert (_scores(desk)["ben"], _scores(desk)["cem"]) == (5.0, 3.0)
    assert '"graded",5.0' in graded.grades_csv()["ben"]
    desk.override("ta", ("ben", "cem"), "double", 3.0, "three", told.value.meanwhile[0].number, VALUES)
    assert _scores(desk)["cem"] == 6.0


def test_exercise_and_its_check_are_the_same_thing(desk: Desk) -> None:
    seen = desk.version()
    desk.override("mei", "ben", "double", 2.0, "two", seen, VALUES)
    with pytest.raises(ConflictError):
        desk.override("ta", "ben", "double", 3.0, "three", seen)


def test_unrelated_acts_go_together(desk: Desk) -> None:
    seen = desk.version()
    desk.override("mei", "ben", "double", 2.0, "two", seen, VALUES)
    desk.override("ta", "ben", "double", 0.5, "other check", seen, "double::test_zero")
    desk.override("ta", "ben", "triple", 1.0, "other exercise", seen)
    desk.override("ta", "cem", "double", 1.0, "other submission", seen, VALUES)
    desk.comment("ta", "ben", "One.", seen)
    desk.comment("mei", "ben", "Two.", seen)
    desk.mark("ta", "ben", True, seen)
    view = desk.submission("ben")
    assert (view.grade.score, view.is_done, _texts(desk, "ben")) == (3.5, True, ["One.", "Two."])


def test_changing_a_comment_that_was_changed_meanwhile_is_a_conflict(desk: Desk) -> None:
    desk.comment("ta", "ben", "One.", desk.version())
    seen, thread = desk.version(), desk.submission("ben").comments[0].thread
    desk.revise_comment("mei", "ben", thread, "Two.", seen)
    with pytest.raises(ConflictError):
        desk.revise_comment("ta", "ben", thread, "Three.", seen)
    with pytest.raises(ConflictError):
        desk.revise_comment("ta", "ben", thread, None, seen)
    assert _texts(desk, "ben") == ["Two."]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda d: d.override("ta", "ben", "double", 4.5, "x", 0), "0 to 4 points, not 4.5"),
        (lambda d: d.override("ta", "ben", "double", 3.5, "x", 0, VALUES), "0 to 3 points"),
        (lambda d: d.override("ta", "ben", "double", -1.0, "x", 0), "not -1"),
        (lambda d: d.override("ta", "ben", "double", math.nan, "x", 0), "must be a number"),
        (lambda d: d.override("ta", "ben", "double", math.inf, "x", 0), "must be a number"),
        (lambda d: d.override("ta", "ben", "double", 1.0, " \n ", 0), "reason is empty"),
        (lambda d: d.override(" ", "ben", "double", 1.0, "x", 0), "Who acts"),
        (lambda d: d.override("ta", "ben", "quadruple", 1.0, "x", 0), "have no “quadruple”"),
        (lambda d: d.override("ta", "ben", "double", 1.0, "x", 0, "double::no"), "have no “double::no”"),
        (lambda d: d.override("ta", (), "double", 1.0, "x", 0), "No submission"),
        (lambda d: d.comment("ta", "ben", "", 0), "comment is empty"),
        (lambda d: d.comment("ta", "ben", "x" * 10_001, 0), "10001 characters"),
        (lambda d: d.comment("ta", "ben", "x", 0, line=3), "names its file"),
        (lambda d: d.comment("ta", "ben", "x", 0, path="a.py", line=0), "from 1 on"),
        (lambda d: d.comment("ta", "ben", "x", 0, path="a" * 500), "such a long name"),
        (lambda d: d.revise_comment("ta", "ben", "no-thread", "x", 0), "not there"),
        (lambda d: d.undo("ta", 99, 0), "no such act"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_and_not_written(
    desk: Desk, act: Callable[[Desk], Any], said: str
) -> None:
    with pytest.raises(DeskError, match=said):
        act(desk)
    assert (desk.version(), desk.history()) == (0, ())


def test_unknown_submission_among_many_stops_all(desk: Desk) -> None:
    with pytest.raises(NoSuchSubmission, match="`nobody`"):
        desk.mark("ta", ("ben", "nobody"), True, 0)
    assert not desk.submission("ben").is_done


def test_read_only_desk_reads_and_refuses_to_write(graded: Any) -> None:
    desk = graded.desk(read_only=True)
    assert desk.listing().total == 7
    for act in ACTS.values():
        with pytest.raises((ReadOnlyError, IndexError)):
            act(desk)
    with pytest.raises(ReadOnlyError):
        desk.undo("ta", 1, 0)
    assert desk.version() == 0


def test_hostile_texts_are_kept_as_text(desk: Desk) -> None:
    desk.comment(HOSTILE, "ben", HOSTILE, desk.version(), path=HOSTILE, line=1)
    desk.override("ta", "ben", "double", 1.0, HOSTILE, desk.version())
    comment = desk.submission("ben").comments[0]
    for text in (comment.text, comment.who, comment.path, *(one.what + one.why for one in desk.history())):
        assert not set(text) & {"\u202e", "\x1b", "\x00"}
    assert "<script>alert('x')</script>" in comment.text


def test_override_from_the_gradebooks_own_interface_is_an_act_too(desk: Desk) -> None:
    add_override(desk.engine, desk.batch, Override("ben", "double", 4.0, "prof", "by hand"))
    (action,) = desk.history("ben")
    assert (action.who, action.why, _scores(desk)["ben"]) == ("prof", "by hand", 6.0)
    desk.undo("ta", action.number, desk.version())
    assert _scores(desk)["ben"] == 3.0
    assert [one.is_undone for one in list_overrides(desk.engine, desk.batch)] == [True]


def test_history_in_pages(desk: Desk) -> None:
    for number in range(5):
        desk.comment("ta", "ben", f"No. {number}", desk.version())
    newest = desk.history(limit=2)
    older = desk.history(limit=10, before=newest[-1].number)
    assert [action.number for action in (*newest, *older)] == [5, 4, 3, 2, 1]
    assert desk.history("ada") == ()
    assert desk.targets(newest[0].number) == ("ben",)


def test_file_that_cannot_be_written_is_said_and_the_act_stays(desk: Desk, graded: Any) -> None:
    (graded.out / "grades.csv").unlink()
    (graded.out / "grades.csv").mkdir()
    done = desk.override("ta", "ben", "double", 4.0, "fine", desk.version())
    assert done.warning.startswith("It is stored, but ")
    assert _scores(desk)["ben"] == 6.0
