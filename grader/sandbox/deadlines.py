"""How long we wait for student code: CPU seconds first, and wall time as a generous backstop."""

from __future__ import annotations

import time
from dataclasses import dataclass

from grader.catalog import Limits

MIN_WALL_S = 10.0
FIRST_LOOK_S, LOOK_INTERVAL_S = 0.25, 0.25


@dataclass
class Patience:
    """Wall seconds that we wait for one exercise's code in all, over its calls and workers.

    Without it, code that sleeps a little less than the limit in every call would hold a judge for hours.
    """

    total_s: float = 90.0
    spent_s: float = 0.0

    @property
    def left_s(self) -> float:
        return self.total_s - self.spent_s


@dataclass(frozen=True)
class Budget:
    """CPU seconds of one request, and the wall seconds after which we stop waiting in any case."""

    cpu_s: float
    wall_s: float
    what: str
    wall_note: str = ""

    @staticmethod
    def of(cpu_s: float, limits: Limits, what: str, patience: Patience) -> Budget:
        wall_s = max(MIN_WALL_S, cpu_s * limits.wall_factor)
        if wall_s > patience.left_s:
            together = f"; {patience.total_s:g} s for all checks together"
            return Budget(cpu_s, max(0.0, patience.left_s), what, together)
        return Budget(cpu_s, wall_s, what)


class Watch:
    """The time of one request. A short one costs no look at the process at all.

    What the worker used before is unknown until the first look, and what it used by then is free: better
    a quarter of a second too many than calls that pay for each other.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._began = time.monotonic()
        self._cpu_before_s: float | None = None
        self._look_at_s = min(FIRST_LOOK_S, budget.cpu_s / 2)

    def waited_s(self) -> float:
        return time.monotonic() - self._began

    @property
    def is_time_up(self) -> bool:
        return self.waited_s() >= self.budget.wall_s

    @property
    def is_look_due(self) -> bool:
        return self.waited_s() >= self._look_at_s

    def patience_s(self) -> float:
        """How long to wait before time must be kept again."""
        return max(0.01, min(self._look_at_s, self.budget.wall_s) - self.waited_s())

    def is_used_up(self, cpu_s: float) -> bool:
        """Take note of the CPU seconds of the worker's whole life; true if this request's are over."""
        if self._cpu_before_s is None:
            self._cpu_before_s = cpu_s
            self._look_at_s = max(self.budget.cpu_s, self.waited_s())
            return False
        self._look_at_s = self.waited_s() + LOOK_INTERVAL_S
        return cpu_s - self._cpu_before_s >= self.budget.cpu_s
