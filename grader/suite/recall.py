"""Exercises whose checks need not run: the code gives the replies with which they are known to pass.

The code is asked exactly what the checks would ask, request by request, case by case. While its replies are
those of a trail, so is the next request, and at the end the verdicts. At the first reply that is on no trail
the exercise runs as ever, from the first line of its first check; what was said by then is played back to it.
So whatever the checks of an exercise keep from each other, and whatever the code keeps from call to call, is
as it would have been.

A suite that could learn something else than replies, such as the time, always runs: see `only_hears_replies`.
"""

from __future__ import annotations

import ast
import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.errors import HarnessError, StudentError
from grader.student.conversation import Exchange
from grader.student.trails import Step, Trail
from grader.suite.judging import Played
from grader.suite.plugin import GradingPlugin

# What a suite may import and still see the same in every run of one seed.
_CLOSED = frozenset(
    {"__future__", "abc", "cmath", "collections", "contextlib", "copy", "dataclasses", "enum", "fractions"}
    | {"functools", "grader", "inspect", "itertools", "math", "numbers", "numpy", "operator", "pytest"}
    | {"random", "re", "statistics", "string", "textwrap", "torch", "types", "typing"}
)


@functools.cache
def only_hears_replies(suite: Path) -> bool:
    """Does the file import nothing that tells a check more than the student's code does?"""
    for node in ast.walk(ast.parse(suite.read_bytes())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = ["." if node.level else node.module or "."]
        if not {name.partition(".")[0] for name in names} <= _CLOSED:
            return False
    return True


@dataclass
class _Walk:
    """How far the code's replies were known: `trails` are those that fit them, as far as it went."""

    trails: list[Trail]
    played: dict[str, Played] = field(default_factory=dict)
    is_at_the_end: bool = False
    is_contradiction: bool = False

    def begin_case(self, number: int, case_id: str, device: str | None) -> None:
        here = (case_id, device)
        cases = [(trail, trail.cases[number]) for trail in self.trails]
        self.trails = [trail for trail, case in cases if (case.id, case.device) == here]

    def next_step(self, number: int, said: int) -> Step | None:
        """What the case asks next; None at its end. Trails that fit say the same, or none is to be used."""
        steps = [trail.cases[number].step(said) for trail in self.trails]
        asked = {None if step is None else step.request for step in steps}
        if len(asked) > 1:
            self.is_contradiction, self.trails = True, []
            return None
        return steps[0] if steps else None

    def hear(self, number: int, said: int, reply: bytes) -> None:
        self.trails = [trail for trail in self.trails if trail.cases[number].steps[said].reply == reply]


class Recall:
    """Follows trails, and leaves new ones, for all cases of one exercise at a time."""

    def __init__(self, plugin: GradingPlugin) -> None:
        self._plugin = plugin

    def passes(self, key: str, items: Sequence[pytest.Function]) -> bool:
        """Did all cases pass without being run? If not, they have to run; what was said is played back."""
        judge = self._plugin.judge
        trails = judge.trails.of(key)
        if not trails:
            return False
        passed, start_s = dict(judge.passed), time.time()
        walk = self._walk(items, [trail for trail in trails if len(trail.cases) == len(items)])
        if walk.is_contradiction:
            judge.trails.forget(key)
        if not walk.is_at_the_end:
            judge.passed, judge.played = passed, walk.played
            return False
        trail = walk.trails[0]
        judge.trails.note_followed(key, trail)
        spent_s = (time.time() - start_s) / len(items)
        for item, case in zip(items, trail.cases, strict=True):
            judge.verdicts[item.nodeid] = {**case.record, "duration_s": round(spent_s, 6)}
            _report_passed(item, start_s, spent_s)
        return True

    def _walk(self, items: Sequence[pytest.Function], trails: list[Trail]) -> _Walk:
        plugin, walk = self._plugin, _Walk(trails)
        for number, item in enumerate(items):
            said: list[Exchange] = []
            try:
                self._walk_case(walk, number, item, said)
            except (StudentError, HarnessError):
                walk.trails = []  # the cases meet it again, and say so
            walk.played[item.nodeid] = Played(said, is_over=bool(walk.trails))
            if not walk.trails:
                return walk
            info = plugin.info(item)
            plugin.judge.passed.setdefault(f"{info.stem}::{info.name}", True)
        walk.is_at_the_end = True
        return walk

    def _walk_case(self, walk: _Walk, number: int, item: pytest.Function, said: list[Exchange]) -> None:
        """Ask what the case asks, into `said`, as long as a trail of the `walk` fits."""
        if self._plugin.why_not(item):
            walk.trails = []
            return
        session = self._plugin.begin(item)
        session.require_loaded()
        walk.begin_case(number, item.nodeid, session.device_name)
        if session.missing:
            walk.trails = []
        while step := walk.next_step(number, len(said)):
            exchange = session.talk.trade(step.what, step.request)
            walk.hear(number, len(said), exchange.digest())
            said.append(exchange)
        if walk.trails:
            session.finish_check(passed=True)

    def keep(self, key: str, items: Sequence[pytest.Function]) -> None:
        """After all cases have run: leave a trail if they passed."""
        judge = self._plugin.judge
        outcomes = {judge.verdicts[item.nodeid]["outcome"] for item in items if item.nodeid in judge.verdicts}
        if outcomes == {"passed"} and len(judge.tape.cases) == len(items):
            judge.trails.keep(key, judge.tape)


def _report_passed(item: pytest.Function, start_s: float, spent_s: float) -> None:
    """Tell pytest-json-report, where it looks for it: its own hook would need the whole protocol."""
    report = pytest.TestReport(
        item.nodeid, item.location, {}, "passed", None, "call",
        duration=spent_s, start=start_s, stop=start_s + spent_s,
    )  # fmt: skip
    vars(report)["_json_report_extra"] = {"metadata": {"check": {"outcome": "passed"}}}
    item.ihook.pytest_runtest_logreport(report=report)
