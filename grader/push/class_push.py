"""The steps that all platforms share: who is who, what is to be sent, and, if it is wanted, the sending."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.exports.classgrades import ClassGrades
from grader.exports.matching import Matching, Row, match
from grader.push.delivery import Delivered, Door, clear_doubts, deliver
from grader.push.ledger import Ledger
from grader.push.patience import rest
from grader.push.planning import Plan, Planner, Recipient, Standing, Wishes


class Platform(Door, Protocol):
    """A door that can be asked what is behind it."""

    def standings(self) -> dict[str, Standing]: ...


@dataclass(frozen=True)
class Pushed:
    """What was planned, and what came of it; `delivered` is None if it was only planned."""

    matching: Matching
    plan: Plan
    delivered: Delivered | None = None


@dataclass(frozen=True)
class ClassPush:
    """One class on its way to one platform. `key` is the kind of key by which the platform names students.

    With `needs_standing` who has none on the platform is not sent to: the assignment is not theirs.
    """

    grades: ClassGrades
    platform: Platform
    ledger: Ledger
    wishes: Wishes
    key: str
    needs_standing: bool = False
    by_name: bool = False
    wait: Callable[[float], None] = rest

    def preview(self, roster: Sequence[Row]) -> Pushed:
        """What would be sent; reads only."""
        matching = match(roster, self.grades.students, by_name=self.by_name)
        return Pushed(matching, self._plan(matching, roster))

    def send(self, roster: Sequence[Row]) -> Pushed:
        """Send what is to be sent.

        Raises:
            PushError: the ledger cannot be used, or the platform cannot be read.
        """
        matching = match(roster, self.grades.students, by_name=self.by_name)
        users = [row.keys[self.key] for row in roster]
        with self.ledger.open():
            clear_doubts(self.platform, self.ledger, users)
            plan = self._plan(matching, roster)
            return Pushed(matching, plan, deliver(plan.steps, self.platform, self.ledger, self.wait))

    def _plan(self, matching: Matching, roster: Sequence[Row]) -> Plan:
        rows = {row.number: row for row in roster}
        recipients = [
            Recipient(rows[number].shown, rows[number].keys[self.key], student)
            for number, student in sorted(matching.pairs.items())
        ]
        standings = self.platform.standings()
        if self.needs_standing:
            missing = Standing(locked="the assignment is not given to this student")
            standings = {one.user: standings.get(one.user, missing) for one in recipients}
        return Planner(self.grades, standings, self.ledger, self.wishes).plan(recipients)
