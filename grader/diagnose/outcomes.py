"""What other versions of the code gave for a call: shared between the judges of a run, as `suite.memo` is.

All submissions of a run see the same inputs, and most mistakes are made by several students. So what a
known mistake gives for a call is computed by the first judge that asks, and later ones are forked with it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.sandbox.box import wire
from grader.suite.memo import as_text, bytes_of, from_text

# What one judge sends home, and what a run keeps: the memory of a class does not grow with its size.
MAX_FRESH_BYTES, MAX_KNOWN_BYTES = 4 << 20, 64 << 20
# Beside its numbers, an outcome takes about so much memory.
OUTCOME_BYTES = 1000


@dataclass(frozen=True)
class Outcome:
    """What one call gave: `parts` are its result and the attributes that were looked at."""

    parts: Mapping[str, Any]
    raised: str = ""


@dataclass
class Outcomes:
    """By a digest of the call, then by version. `known` came with the fork, `fresh` was found since."""

    known: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    fresh: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    known_bytes: int = 0
    fresh_bytes: int = 0

    def find(self, call: str, version: str) -> Outcome | None:
        return self.known.get(call, {}).get(version) or self.fresh.get(call, {}).get(version)

    def keep(self, call: str, version: str, outcome: Outcome) -> None:
        self.fresh_bytes += _size_of(outcome)
        if self.fresh_bytes <= MAX_FRESH_BYTES:
            self.fresh.setdefault(call, {})[version] = outcome

    def pack(self) -> list[str]:
        """What is fresh, as text, a frame a call; a call with an outcome that cannot travel is left out."""
        frames = []
        for call, outcomes in self.fresh.items():
            rows = [[version, dict(found.parts), found.raised] for version, found in outcomes.items()]
            with contextlib.suppress(wire.WireError):
                frames.append(as_text([call, rows]))
        return frames

    def learn(self, frames: Sequence[str]) -> None:
        for text in frames:
            if self.known_bytes > MAX_KNOWN_BYTES:
                return
            call, rows = from_text(text)
            for version, parts, raised in rows:
                outcome = Outcome(parts, raised)
                self.known.setdefault(call, {})[version] = outcome
                self.known_bytes += _size_of(outcome)


def _size_of(outcome: Outcome) -> int:
    return OUTCOME_BYTES + bytes_of(dict(outcome.parts))
