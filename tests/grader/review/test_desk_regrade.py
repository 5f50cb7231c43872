"""A selection is graded again as a batch grades it, and what people said stays."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from grader.classroom.folder import BatchFolder
from grader.review.desk_records import DeskError, NoSuchSubmission
from grader.review.desk_regrade import Regrade

WAIT_S = 300.0


def test_selection_is_graded_again_and_overrides_stay(made: Callable[..., Any]) -> None:
    one = made()
    one.hand_in("ben", double="# squares\ndef double(x):\n    return x * x\n")
    one.hand_in("benny", double="# squares\ndef double(x):\n    return x * x\n")
    one.grade()
    one.hand_in("ben")
    desk = one.desk()
    desk.override("ta", "ben", "triple", 0.5, "copied", desk.version())
    desk.comment("ta", "ben", "Hand it in again.", desk.version())
    untouched = (one.out / "results" / "benny.json").read_text()

    regrade = Regrade(desk, "mei", ["ben"])
    regrade.start()
    assert regrade.wait(WAIT_S)

    state = regrade.state
    assert (state.problem, state.ended, state.done, state.total) == ("", "done", 1, 1)
    assert (state.before["ben"], state.after["ben"]) == (1.5, 4.5)
    view = desk.submission("ben")
    assert (view.grade.score, len(view.runs)) == (4.5, 2)
    assert [comment.text for comment in view.comments] == ["Hand it in again."]
    assert '"graded",4.5,6.0,4.0,0.5' in one.grades_csv()["ben"]
    assert (one.out / "results" / "benny.json").read_text() == untouched
    (asked,) = [action for action in desk.history() if action.kind == "regrade"]
    assert (asked.who, asked.sample, asked.can_undo) == ("mei", ("ben",), False)
    with pytest.raises(DeskError, match="cannot be taken back"):
        desk.undo("ta", asked.number, desk.version())


def test_submission_that_has_left_the_input_is_named(desk: Any, graded: Any) -> None:
    shutil.rmtree(graded.input / "ben")
    regrade = Regrade(desk, "mei", ["ben"])
    regrade.start()
    assert regrade.wait(WAIT_S)
    assert (regrade.state.ended, regrade.state.after) == ("failed", {"ben": 3.0})
    assert "no longer in the input" in regrade.state.problem


def test_folder_at_work_is_not_graded_twice(desk: Any, graded: Any) -> None:
    with BatchFolder(graded.out).lock(), pytest.raises(DeskError, match="at work"):
        Regrade(desk, "mei", ["ben"]).start()
    assert desk.history() == ()


def test_unknown_submission_and_read_only(desk: Any, graded: Any) -> None:
    with pytest.raises(NoSuchSubmission):
        Regrade(desk, "mei", ["nobody"]).start()
    with pytest.raises(DeskError):
        Regrade(graded.desk(read_only=True), "mei", ["ben"]).start()
    assert desk.history() == ()


def test_failure_is_told_in_words(desk: Any, graded: Any) -> None:
    (graded.course / "exercises" / "assignment.toml").write_text("broken [")
    regrade = Regrade(desk, "mei", ["ben"])
    regrade.start()
    assert regrade.wait(WAIT_S)
    assert regrade.state.ended == "failed"
    assert "assignment.toml" in regrade.state.problem
    assert desk.submission("ben").grade.score == 3.0


def test_stopped_regrade_leaves_the_class_as_it_was(desk: Any, graded: Any) -> None:
    regrade = Regrade(desk, "mei", ["ben"])
    regrade.start()
    regrade.stop()
    assert regrade.wait(WAIT_S)
    assert regrade.state.ended == "stopped"
    assert desk.listing().total == 7
    assert not BatchFolder(graded.out).is_locked()
