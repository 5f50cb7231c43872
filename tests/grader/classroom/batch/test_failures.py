"""What is our fault never costs points, never stops the class, and is tried again."""

from __future__ import annotations

from typing import Any

import pytest

from grader.errors import AssignmentError, IsolationError
from grader.load import load_files

WRONG = "# {}\ndef double(x): return 2 * x\n"


@pytest.fixture
def class_with(students: Any) -> Any:
    """Three whose work is fine, and `bad`, whose work does what the comment says to the judge."""

    def make(comment: str) -> None:
        for student in ("ada", "ben", "cem"):
            students.hand_in(student)
        students.hand_in("bad", double=WRONG.format(comment))

    return make


def test_judge_that_dies_once_costs_nothing(batch: Any, pretence: Any, class_with: Any) -> None:
    class_with("kills judge once")
    ended = batch("--jobs", "2")
    assert (ended.code, ended.scores["bad"]) == (0, 6.0)
    assert pretence.judged.count("bad") == 2
    assert pretence.started == 1
    assert "Grading again: 1 of 1" in ended.err


def test_judge_that_dies_twice_is_listed_apart(batch: Any, pretence: Any, class_with: Any) -> None:
    class_with("kills judge")
    ended = batch()
    assert ended.code == 3
    assert ended.scores == {"ada": 6.0, "bad": None, "ben": 6.0, "cem": 6.0}
    assert ended.result("bad")["status"] == "needs_regrade"
    assert "Need a regrade (our fault, never a zero): 1" in ended.out
    assert "bad: The judge died before it was done." in ended.out
    assert ended.err.endswith("grade: 1 not graded: see `needs_regrade` in summary.json.\n")
    pretence.judged.clear()
    assert batch().code == 3
    assert pretence.judged == ["bad", "bad"]


def test_host_that_dies_loses_nobody(batch: Any, pretence: Any, class_with: Any) -> None:
    class_with("kills host")
    ended = batch("--jobs", "3")
    assert ended.code == 3
    assert ended.scores == {"ada": 6.0, "bad": None, "ben": 6.0, "cem": 6.0}
    assert "The judge host died 3 times" in ended.result("bad")["status_reason"]


def test_host_that_cannot_start_stops_the_batch(
    batch: Any, class_with: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_with("nothing")

    def refuse(*arguments: Any, **settings: Any) -> None:
        raise IsolationError("No namespaces here.", hint="Use --isolation auto.")

    monkeypatch.setattr("grader.judge.client.JudgeHost", refuse)
    ended = batch()
    assert ended.code == 3
    assert ended.err.endswith("grade: No namespaces here. Use --isolation auto.\n")
    assert ended.summary["counts"]["not_graded_yet"] == 4


def test_broken_suite_stops_the_batch(batch: Any, pretence: Any, class_with: Any, monkeypatch: Any) -> None:
    class_with("nothing")

    def fail(*arguments: Any, **facts: Any) -> None:
        raise AssignmentError("Points do not add up.")

    monkeypatch.setattr("grader.classroom.grading.score_run", fail)
    ended = batch()
    assert (ended.code, "Points do not add up." in ended.err) == (3, True)


def test_bug_of_ours_in_scoring_costs_one_submission_only(
    batch: Any, pretence: Any, class_with: Any, monkeypatch: Any
) -> None:
    from grader.score import score_run

    class_with("nothing")

    def fail(assignment: Any, submission: Any, *arguments: Any, **facts: Any) -> Any:
        if submission.id == "ben":
            raise ZeroDivisionError("oops")
        return score_run(assignment, submission, *arguments, **facts)

    monkeypatch.setattr("grader.classroom.grading.score_run", fail)
    ended = batch()
    assert ended.scores == {"ada": 6.0, "bad": 6.0, "ben": None, "cem": 6.0}
    assert "scoring it: ZeroDivisionError: oops" in ended.result("ben")["status_reason"]


def test_bug_of_ours_in_loading_costs_one_submission_only(
    batch: Any, pretence: Any, class_with: Any, monkeypatch: Any
) -> None:
    class_with("nothing")

    def fail(members: Any, assignment: Any, *, submission_id: str, root: str) -> Any:
        if submission_id == "ben":
            raise RecursionError("too deep")
        return load_files(members, assignment, submission_id=submission_id, root=root)

    monkeypatch.setattr("grader.classroom.reading.load_files", fail)
    ended = batch()
    assert (ended.code, ended.scores["ben"], ended.scores["cem"]) == (3, None, 6.0)


def test_files_that_no_one_could_have_written(batch: Any, pretence: Any, students: Any) -> None:
    students.hand_in("ada", double="\x00\x01", triple="def triple(" + "(" * 5000)
    students.hand_in("ben", double="def double(x):\n    return '\\ud800'\n")
    ended = batch()
    assert (ended.code, ended.scores["ben"]) == (0, 6.0)
    assert ended.result("ada")["status"] in ("graded", "rejected")
