"""The trails of a run: what the checks of an exercise asked when all of them passed, and what they heard.

A check sees nothing of a submission but replies, and what it draws comes from the run's seed. So whoever
gives the same replies, bit for bit, from the first check of an exercise to the last, passes all, and they
need not run. The first submission that passes an exercise leaves a trail. A class shares few: most right
solutions compute the same numbers.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from grader.student.conversation import DIGEST_BYTES, Exchange

# Of one exercise; the one that was not followed for longest goes first. An exercise that uses another has one
# for every pair of styles, whose cases are mostly the same.
MAX_TRAILS = 256
MAX_KNOWN_BYTES = 64 << 20
# A trail with larger requests or replies is not kept: code can make both as large as it likes.
MAX_REQUEST_BYTES, MAX_REPLY_BYTES = 1 << 20, 8 << 20
# A step beside its request; what a case put on record; a trail beside its cases.
STEP_BYTES, RECORD_BYTES, TRAIL_BYTES = 300, 3000, 1000


class Step(NamedTuple):
    """One request, and the digest of the reply to it."""

    what: str
    request: bytes
    reply: bytes


@dataclass(frozen=True)
class Case:
    """What one case of a check asked, on which device, and what it put on record."""

    id: str
    device: str | None
    steps: Sequence[Step]
    record: Mapping[str, Any]

    def step(self, number: int) -> Step | None:
        """Step `number`, from 0; None after the last."""
        return self.steps[number] if number < len(self.steps) else None


@dataclass(frozen=True)
class Trail:
    """All cases of an exercise, in order; `id` stands for all replies."""

    id: str
    cases: Sequence[Case]


class Tape:
    """Records an exercise while its cases run, unless something makes it worthless."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.is_spoilt = False
        self._steps: list[Step] | None = None
        self._request_bytes = self._reply_bytes = 0

    def begin(self) -> None:
        self._steps = []

    def note(self, exchange: Exchange, raised: bool) -> None:
        """An exchange of the case; what an error says depends on more than the reply."""
        self._request_bytes += len(exchange.request)
        self._reply_bytes += len(exchange.reply)
        is_large = self._request_bytes > MAX_REQUEST_BYTES or self._reply_bytes > MAX_REPLY_BYTES
        if raised or is_large or self._steps is None:  # None: asked by a teardown, when all was over
            self.spoil()
        elif not self.is_spoilt:
            self._steps.append(Step(exchange.what, exchange.request, exchange.digest()))

    def end(self, case_id: str, device: str | None, record: Mapping[str, Any]) -> None:
        """The case passed; `record` may still change, until its teardown is over."""
        if self._steps is not None and not self.is_spoilt:
            self.cases.append(Case(case_id, device, self._steps, record))
        self._steps = None

    def spoil(self) -> None:
        self.is_spoilt = True
        self.cases = []


@dataclass
class Trails:
    """Judges follow what is known and send home what is fresh; the process that forks them learns it."""

    known: dict[str, dict[str, Trail]] = field(default_factory=dict)
    unsteady: set[str] = field(default_factory=set)
    known_bytes: int = 0
    _fresh: list[dict[str, Any]] = field(default_factory=list)
    _followed: list[tuple[str, str]] = field(default_factory=list)
    _cases: dict[str, Case] = field(default_factory=dict)
    _requests: dict[bytes, bytes] = field(default_factory=dict)

    def of(self, key: str) -> list[Trail]:
        """The trails of the exercise and run that `key` names."""
        return [*self.known.get(key, {}).values()]

    def keep(self, key: str, tape: Tape) -> None:
        """All cases of the exercise have passed."""
        if key not in self.unsteady and not tape.is_spoilt:
            self._fresh.append({"key": key, "cases": [self._packed(case) for case in tape.cases]})

    def note_followed(self, key: str, trail: Trail) -> None:
        """It was of use, from the first case to the last."""
        self._followed.append((key, trail.id))

    def forget(self, key: str) -> None:
        """The checks do not ask the same on the same replies: they leave no trails."""
        self.unsteady.add(key)
        self.known.pop(key, None)

    def pack(self) -> dict[str, Any]:
        """What is to be told at home, for JSON."""
        return {"fresh": self._fresh, "followed": self._followed, "unsteady": sorted(self.unsteady)}

    def learn(self, packed: Mapping[str, Any]) -> None:
        """Take in what a judge has sent home."""
        for key in packed["unsteady"]:
            self.forget(key)
        for key, trail_id in packed["followed"]:
            trails = self.known.get(key, {})
            if trail_id in trails:
                trails[trail_id] = trails.pop(trail_id)  # the last one now
        for entry in packed["fresh"]:
            if entry["key"] not in self.unsteady:
                self._add(entry["key"], entry["cases"])

    def _add(self, key: str, packed: Sequence[Mapping[str, Any]]) -> None:
        if self.known_bytes > MAX_KNOWN_BYTES:  # old seeds and rare replies; what is common is soon back
            self.known.clear()
            self._cases.clear()
            self._requests.clear()
            self.known_bytes = 0
        cases = [self._unpacked(case) for case in packed]
        if None in cases:  # forgotten here since the judge was forked
            return
        self._put(key, [case for case in cases if case is not None])

    def _put(self, key: str, cases: Sequence[Case]) -> None:
        digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
        for case in cases:
            digest.update(b"".join([b"case", *(step.reply for step in case.steps)]))
        trails = self.known.setdefault(key, {})
        trails[digest.hexdigest()] = Trail(digest.hexdigest(), cases)
        self.known_bytes += TRAIL_BYTES
        if len(trails) > MAX_TRAILS:
            del trails[next(iter(trails))]

    def _packed(self, case: Case) -> dict[str, Any]:
        """The name of the case's steps, and all that is in it unless that is known at home."""
        steps = [[step.what, _text(step.request), step.reply.hex()] for step in case.steps]
        named = hashlib.blake2b(json.dumps([case.id, case.device, steps]).encode(), digest_size=DIGEST_BYTES)
        name = named.hexdigest()
        if name in self._cases:
            return {"name": name}
        record = dict(case.record)
        return {"name": name, "id": case.id, "device": case.device, "steps": steps, "record": record}

    def _unpacked(self, case: Mapping[str, Any]) -> Case | None:
        if case["name"] not in self._cases and "steps" in case:
            self._cases[case["name"]] = self._made(case)
        return self._cases.get(case["name"])

    def _made(self, case: Mapping[str, Any]) -> Case:
        self.known_bytes += RECORD_BYTES + STEP_BYTES * len(case["steps"])
        steps = tuple(
            Step(what, self._shared(base64.b64decode(request)), bytes.fromhex(reply))
            for what, request, reply in case["steps"]
        )
        return Case(case["id"], case["device"], steps, case["record"])

    def _shared(self, request: bytes) -> bytes:
        """Trails of an exercise ask mostly the same: each request is kept once."""
        if request not in self._requests:
            self._requests[request] = request
            self.known_bytes += len(request)
        return self._requests[request]


def _text(frame: bytes) -> str:
    return base64.b64encode(frame).decode()
