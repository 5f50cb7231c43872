"""What a run remembers of exercises that passed: found again, bounded, and dropped where it is of no use."""

from __future__ import annotations

import copy
import json

import pytest

from grader.errors import StudentError
from grader.student import trails
from grader.student.conversation import Exchange
from grader.student.trails import MAX_REPLY_BYTES, MAX_REQUEST_BYTES, MAX_TRAILS, Tape, Trail, Trails


def taped(*cases: str) -> Tape:
    """A case is "request reply, request reply"."""
    tape = Tape()
    for number, case in enumerate(cases):
        tape.begin()
        for pair in case.split(", "):
            request, reply = pair.split()
            tape.note(Exchange("the call", request.encode(), reply.encode()), raised=False)
        tape.end(f"case {number}", "cpu", {"said": case})
    return tape


def told(known: Trails, key: str, *cases: str, follows: Trail | None = None) -> None:
    """A judge, forked with what is `known`, saw an exercise pass and sends that home."""
    judge = copy.deepcopy(known)
    judge.keep(key, taped(*cases))
    if follows is not None:
        judge.note_followed(key, follows)
    known.learn(json.loads(json.dumps(judge.pack())))


def records(known: Trails, key: str) -> list[list[str]]:
    return [[case.record["said"] for case in trail.cases] for trail in known.of(key)]


def test_what_passed_is_found_again_with_its_requests_and_records() -> None:
    known = Trails()
    told(known, "a", "one 1, two 2", "three 3")
    told(known, "a", "one 1, two 2.0", "three 3")
    told(known, "b", "one 1")
    assert records(known, "a") == [["one 1, two 2", "three 3"], ["one 1, two 2.0", "three 3"]]
    assert records(known, "b") == [["one 1"]]
    assert known.of("c") == []
    first, second = known.of("a")
    step = first.cases[0].step(1)
    assert step is not None
    assert (step.request, step.reply) == (b"two", Exchange("the call", b"two", b"2").digest())
    assert first.cases[0].step(2) is None
    assert second.cases[0].step(1) != step


def test_the_same_trail_is_kept_once() -> None:
    known = Trails()
    for _ in range(3):
        told(known, "a", "one 1", "two 2")
    assert records(known, "a") == [["one 1", "two 2"]]


def test_where_a_case_ends_is_part_of_the_trail() -> None:
    known = Trails()
    told(known, "a", "one 1, two 2", "three 3")
    told(known, "a", "one 1", "two 2, three 3")
    assert len(known.of("a")) == 2


def test_the_trail_that_was_not_followed_for_longest_goes_first() -> None:
    known = Trails()
    told(known, "a", "one common")
    common = known.of("a")[0]
    for number in range(3 * MAX_TRAILS):
        told(known, "a", f"one {number}", follows=common)
    assert len(known.of("a")) == MAX_TRAILS
    assert common in known.of("a")
    assert ["one 0"] not in records(known, "a")


def test_ever_new_trails_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Trails()
    monkeypatch.setattr(trails, "MAX_KNOWN_BYTES", 50_000)
    for number in range(100):
        told(known, f"exercise {number}", f"{'x' * 1000}{number} 1")
        assert known.known_bytes < 60_000
    assert known.of("exercise 99") != []
    assert known.of("exercise 0") == []


@pytest.mark.parametrize(
    "exchange",
    [
        Exchange("the call", bytes(MAX_REQUEST_BYTES), b"1"),
        Exchange("the call", b"one", bytes(MAX_REPLY_BYTES)),
        Exchange("the call", b"one", error=StudentError("gone", outcome="crashed", kind="gone")),
    ],
    ids=["large request", "large reply", "no reply"],
)
def test_what_is_large_or_no_reply_leaves_no_trail(exchange: Exchange) -> None:
    tape = Tape()
    tape.begin()
    tape.note(Exchange("the call", b"zero", b"0"), raised=False)
    tape.note(exchange, raised=exchange.error is not None)
    tape.end("case", "cpu", {})
    known = Trails()
    known.keep("a", tape)
    assert known.pack()["fresh"] == []


def test_an_error_of_the_code_leaves_no_trail() -> None:
    tape = Tape()
    tape.begin()
    tape.note(Exchange("the call", b"one", b"an error"), raised=True)
    tape.end("case", "cpu", {})
    assert tape.is_spoilt
    assert tape.cases == []


def test_what_is_asked_after_the_end_of_a_case_leaves_no_trail() -> None:
    tape = taped("one 1")
    tape.note(Exchange("the call", b"late", b"1"), raised=False)
    assert tape.is_spoilt


def test_an_exercise_that_was_forgotten_in_a_judge_is_forgotten_at_home() -> None:
    known = Trails()
    told(known, "a", "one 1")
    told(known, "b", "one 1")
    judge = copy.deepcopy(known)
    judge.forget("a")
    known.learn(json.loads(json.dumps(judge.pack())))
    told(known, "a", "one 1")
    assert known.of("a") == []
    assert records(known, "b") == [["one 1"]]


def test_cases_that_are_known_at_home_are_not_told_again() -> None:
    known = Trails()
    told(known, "a", "one 1", "two 2")
    judge = copy.deepcopy(known)
    judge.keep("a", taped("one 1", "two 3"))
    first, second = judge.pack()["fresh"][0]["cases"]
    assert ("steps" in first, "steps" in second) == (False, True)
    known.learn(json.loads(json.dumps(judge.pack())))
    assert records(known, "a") == [["one 1", "two 2"], ["one 1", "two 3"]]


def test_what_was_forgotten_meanwhile_is_no_part_of_a_trail(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Trails()
    told(known, "a", "one 1")
    judge = copy.deepcopy(known)
    judge.keep("a", taped("one 1", "two 2"))
    monkeypatch.setattr(trails, "MAX_KNOWN_BYTES", 0)
    told(known, "b", "other 1")
    known.learn(json.loads(json.dumps(judge.pack())))
    assert known.of("a") == []
