"""What one judge knows while the plugin runs the checks of a submission."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.student.conversation import Exchange
from grader.student.handle import Student
from grader.student.session import Session
from grader.student.trails import Tape, Trails
from grader.suite.checks import CheckInfo
from grader.suite.reference import Reference
from grader.suite.verdict import Verdict


@dataclass(frozen=True)
class Played:
    """What a case has asked and heard already, before it runs; `is_over` when it was to the end."""

    exchanges: Sequence[Exchange]
    is_over: bool


@dataclass
class JudgeState:
    """What one judge knows: the sessions of the exercise at hand, and the verdicts so far.

    `tape` records the exercise at hand; `played` is what its cases play back, by node id.
    """

    seed: int
    open_session: Callable[[str, str], Session]
    reference: Reference
    remember: Callable[[str, CheckInfo, Verdict, Student], None]
    trails: Trails = field(default_factory=Trails)
    tape: Tape = field(default_factory=Tape)
    played: dict[str, Played] = field(default_factory=dict)
    has_strayed: bool = False
    hides_output: bool = False
    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    verdicts: dict[str, dict[str, Any]] = field(default_factory=dict)
    passed: dict[str, bool] = field(default_factory=dict)

    def session(self, stem: str, device_case: str) -> Session:
        """The exercise's session; the one off the CPU is opened only when a check needs it.

        On the pretend device it goes on with the worker of the other: cases off the CPU run last.
        """
        key = (stem, device_case)
        if key not in self.sessions:
            self.sessions[key] = self.open_session(stem, device_case)
            if device_case != "cpu" and not self.sessions[key].is_on_accelerator:
                self.sessions[key].take_worker(self.session(stem, "cpu"))
        return self.sessions[key]

    def close_sessions(self) -> None:
        for session in self.sessions.values():
            session.retire()
        self.sessions.clear()
