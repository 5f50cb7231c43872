"""The regrades that this server has started: one at a time, the last one stays to be looked at."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.review.desk import Desk
from grader.review.desk_records import DeskError
from grader.review.desk_regrade import Regrade

_STOP_S = 10.0


@dataclass
class Regrades:
    """`last` is what runs now, or ran last."""

    last: Regrade | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, desk: Desk, who: str, submissions: Sequence[str]) -> None:
        """Begin to grade these again.

        Raises:
            DeskError: some are being graded already, or it cannot be started.
        """
        with self._lock:
            if self.last is not None and self.last.state.is_running:
                raise DeskError(
                    "A regrade is under way.", hint="Wait until it is done, or stop it, then ask again."
                )
            regrade = Regrade(desk, who, submissions)
            regrade.start()
            self.last = regrade

    def stop(self) -> None:
        """End what runs now, if anything does; what it has graded stays."""
        last = self.last
        if last is not None and last.state.is_running:
            last.stop()
            last.wait(_STOP_S)
