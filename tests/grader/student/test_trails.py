"""What a run remembers of checks that passed: found again, bounded, dropped where it contradicts itself."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence

import pytest

from grader.student import trails
from grader.student.conversation import Exchange, Pass, Step
from grader.student.trails import MAX_TRAILS_OF_A_CHECK, Trails


def exchanges(*pairs: str) -> list[Exchange]:
    """Of "request reply" each."""
    words = [pair.split() for pair in pairs]
    return [Exchange("the call", request.encode(), reply.encode()) for request, reply in words]


def told(known: Trails, key: str, *pairs: str, record: str = "") -> None:
    """A judge, forked with what is `known`, saw a check pass and sends that home."""
    judge = copy.deepcopy(known)  # as a fork has it
    judge.keep(key, exchanges(*pairs), {"said": record})
    known.learn(json.loads(json.dumps(judge.pack())))


def follow(known: Trails, key: str, replies: Sequence[str]) -> tuple[list[str], str | None]:
    """What code that gives these replies is asked, and the record at the end, if it gets there."""
    at: Step | Pass | None = known.start(key)
    asked = []
    for reply in replies:
        if not isinstance(at, Step):
            break
        asked.append(at.request.decode())
        at = at.after.get(Exchange("the call", at.request, reply.encode()).digest())
    return asked, at.record["said"] if isinstance(at, Pass) else None


def test_the_same_replies_lead_to_the_record_by_the_same_requests() -> None:
    known = Trails()
    told(known, "a", "one 1", "two 2", record="plain")
    told(known, "a", "one 1", "two 2.0", record="float")
    told(known, "b", "one 1", record="other")
    assert follow(known, "a", ["1", "2"]) == (["one", "two"], "plain")
    assert follow(known, "a", ["1", "2.0"]) == (["one", "two"], "float")
    assert follow(known, "a", ["1", "3"]) == (["one", "two"], None)
    assert follow(known, "a", ["0", "2"]) == (["one"], None)
    assert follow(known, "b", ["1"]) == (["one"], "other")
    assert known.start("c") is None


def test_a_request_may_depend_on_the_reply_before() -> None:
    known = Trails()
    told(known, "a", "one 1", "small 2", record="small")
    told(known, "a", "one 10", "large 20", record="large")
    assert follow(known, "a", ["10", "20"]) == (["one", "large"], "large")
    assert follow(known, "a", ["1", "2"]) == (["one", "small"], "small")


@pytest.mark.parametrize(
    "contradiction", [("uno 1", "two 2"), ("one 1", "zwei 2"), ("one 1",), ("one 1", "two 2", "three 3")]
)
def test_a_check_that_asks_something_else_on_the_same_replies_leaves_no_trail(
    contradiction: tuple[str, ...],
) -> None:
    known, elsewhere = Trails(), Trails()
    told(known, "a", "one 1", "two 2", record="plain")
    told(known, "b", "one 1", record="other")
    elsewhere.keep("a", exchanges(*contradiction), {"said": "another"})  # by a judge that knew nothing yet
    known.learn(json.loads(json.dumps(elsewhere.pack())))
    told(known, "a", "one 1", "two 2", record="plain")
    assert known.start("a") is None
    assert follow(known, "b", ["1"]) == (["one"], "other")


def test_a_check_that_was_forgotten_in_a_judge_is_forgotten_at_home() -> None:
    known, judge = Trails(), Trails()
    told(known, "a", "one 1", record="plain")
    judge.forget("a")
    known.learn(json.loads(json.dumps(judge.pack())))
    assert known.start("a") is None


def test_ever_new_replies_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Trails()
    for number in range(3 * MAX_TRAILS_OF_A_CHECK):
        told(known, "a", f"one {number}", record=str(number))
    start = known.start("a")
    assert start is not None
    assert len(start.after) == MAX_TRAILS_OF_A_CHECK
    monkeypatch.setattr(trails, "MAX_KNOWN_BYTES", 20_000)
    for number in range(1000):
        told(known, f"check {number}", f"{'x' * 1000}{number} 1", record="x")
        assert known.known_bytes < 25_000
    # What came last is known; what came long before is not.
    assert known.start("check 999") is not None
    assert known.start("check 0") is None


def test_a_check_that_asked_nothing_leaves_no_trail() -> None:
    known = Trails()
    told(known, "a", record="x")
    assert known.start("a") is None
