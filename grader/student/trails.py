"""The trails of a run: what checks that passed have asked, and which replies led them there.

The first submission whose code passes a check leaves a trail. Whoever gives the same replies, bit for bit,
passes that check as well, and the check need not run again. A class shares few trails: most right solutions
compute the same numbers. Only passes are kept, for what a failure says depends on the student's text.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.student.conversation import Exchange, Pass, Step

# A class with ever new replies must not fill the memory that all judges are forked with.
MAX_TRAILS_OF_A_CHECK, MAX_KNOWN_BYTES = 32, 64 << 20
STEP_BYTES = 500  # beside its request


@dataclass
class Trails:
    """`start` is asked in judges; they send home what is fresh, and the process that forks them learns it."""

    _known: dict[str, Step] = field(default_factory=dict)
    _ends: dict[str, int] = field(default_factory=dict)
    _fresh: list[dict[str, Any]] = field(default_factory=list)
    _unsteady: set[str] = field(default_factory=set)
    _requests: dict[bytes, bytes] = field(default_factory=dict)
    known_bytes: int = 0

    def start(self, key: str) -> Step | None:
        """The first step of the check that `key` names, if any submission has passed it."""
        return self._known.get(key)

    def keep(self, key: str, exchanges: Sequence[Exchange], record: dict[str, Any]) -> None:
        """A check passed after these `exchanges` and put `record` on record."""
        if exchanges and self._has_room(key):
            at: Step | Pass | None = self._known.get(key)
            steps = []
            for exchange in exchanges:
                request = "" if isinstance(at, Step) else base64.b64encode(exchange.request).decode()
                digest = exchange.digest()
                steps.append([exchange.what, request, digest.hex()])
                at = at.after.get(digest) if isinstance(at, Step) else None
            self._fresh.append({"key": key, "steps": steps, "record": record})

    def forget(self, key: str) -> None:
        """The check does not ask the same on the same replies: it leaves no trails."""
        self._unsteady.add(key)
        self._known.pop(key, None)

    def pack(self) -> dict[str, Any]:
        """What is fresh, for JSON. A request that was known before is left out."""
        return {"trails": self._fresh, "unsteady": sorted(self._unsteady)}

    def learn(self, packed: dict[str, Any]) -> None:
        """Add what a judge has sent home."""
        for key in packed["unsteady"]:
            self.forget(key)
        if self.known_bytes > MAX_KNOWN_BYTES:
            self._start_again()
        for trail in packed["trails"]:
            if self._has_room(trail["key"]):
                self._add(trail["key"], trail["steps"], Pass(trail["record"]))

    def _has_room(self, key: str) -> bool:
        return self._ends.get(key, 0) < MAX_TRAILS_OF_A_CHECK and key not in self._unsteady

    def _start_again(self) -> None:
        """Forget all, old seeds and rare replies included: what is common is soon known again."""
        self._known.clear()
        self._ends.clear()
        self._requests.clear()
        self.known_bytes = 0

    def _add(self, key: str, steps: Sequence[Sequence[str]], end: Pass) -> None:
        place: dict[Any, Step | Pass] = self._known  # type: ignore[assignment]  # a table of steps as well
        name: Any = key
        for what, told, digest in steps:
            request = base64.b64decode(told)
            step = place.get(name)
            if step is None and request:
                step = place[name] = Step(what, self._shared(request))
                self.known_bytes += STEP_BYTES
            if not isinstance(step, Step) or (request and step.request != request):
                self.forget(key)
                return
            place, name = step.after, bytes.fromhex(digest)
        if name not in place:
            place[name] = end
            self._ends[key] = self._ends.get(key, 0) + 1
        elif not isinstance(place[name], Pass):
            self.forget(key)

    def _shared(self, request: bytes) -> bytes:
        """Trails of a check ask mostly the same: each request is kept once."""
        if request not in self._requests:
            self._requests[request] = request
            self.known_bytes += len(request)
        return self._requests[request]
