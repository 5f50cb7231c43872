"""Two gradings of one class compared: who moved, by how much, and which checks did it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from grader.classroom.rows import Row
from grader.report.schema import rounded

ABSENT = "absent"
OTHER_EXERCISES = "other exercises"
_SAME_SCORE = 1e-6
_WITH_CHECKS = ("graded", "practice")


@dataclass(frozen=True)
class CheckInfo:
    """`exercise` is a stem."""

    title: str
    exercise: str
    max_score: float
    exercise_title: str


@dataclass(frozen=True)
class ClassView:
    """One grading of a class: a row per submission, and the checks that it was graded with."""

    label: str
    rows: Mapping[str, Row]
    checks: Mapping[str, CheckInfo]

    def outcome(self, row: Row, check: str) -> str:
        """How a check ended for a submission; `absent` where there was none."""
        info = self.checks.get(check)
        if info is None or info.exercise not in row.exercises:
            return ABSENT
        return row.lost.get(check, "passed")


@dataclass(frozen=True)
class CheckChange:
    check: str
    title: str
    before: str
    after: str
    exercise_title: str


@dataclass(frozen=True)
class Move:
    """A submission whose score or status is another one. `causes` say what differs otherwise.

    `checks` are those that ended otherwise, of exercises that both gradings have for it.
    """

    id: str
    status_before: str
    status_after: str
    before: float | None
    after: float | None
    checks: tuple[CheckChange, ...]
    causes: tuple[str, ...]

    @property
    def change(self) -> float | None:
        if self.before is None or self.after is None:
            return None
        return rounded(self.after - self.before)


@dataclass(frozen=True)
class Changes:
    """`moves` are ordered by the size of the change, largest first; a move without a number comes before.

    `only_graded_before` and `only_graded_after` have the titles of exercises by stem that only one grading
    has for a submission of both. Their checks are in no other field.
    """

    old: str
    new: str
    moves: tuple[Move, ...]
    same: int
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    new_checks: tuple[str, ...] = ()
    gone_checks: tuple[str, ...] = ()
    other_points: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    only_graded_before: Mapping[str, str] = field(default_factory=dict)
    only_graded_after: Mapping[str, str] = field(default_factory=dict)

    def by_check(self) -> list[tuple[str, str, int, int]]:
        """(check, title, newly passed, no longer passed) over the moves, the busiest first.

        A check that earned nobody anything before and after is left out.
        """
        gained, lost, titles = Counter[str](), Counter[str](), dict[str, str]()
        for change in (change for move in self.moves for change in move.checks):
            titles[change.check] = change.title
            gained[change.check] += change.after == "passed"
            lost[change.check] += change.before == "passed"
        busy = [check for check in titles if gained[check] or lost[check]]
        ordered = sorted(busy, key=lambda check: (-(gained[check] + lost[check]), check))
        return [(check, titles[check], gained[check], lost[check]) for check in ordered]

    def as_json(self) -> dict[str, Any]:
        return {
            "old": self.old,
            "new": self.new,
            "same": self.same,
            "moved": [{**asdict(move), "change": move.change} for move in self.moves],
            "only_old": list(self.only_old),
            "only_new": list(self.only_new),
            "new_checks": list(self.new_checks),
            "gone_checks": list(self.gone_checks),
            "other_points": {check: list(points) for check, points in self.other_points.items()},
            "only_graded_before": list(self.only_graded_before),
            "only_graded_after": list(self.only_graded_after),
            "by_check": [
                {"check": check, "title": title, "newly_passed": gained, "no_longer_passed": lost}
                for check, title, gained, lost in self.by_check()
            ],
        }


def compare(old: ClassView, new: ClassView) -> Changes:
    """What changed from one grading to the other, submission by submission."""
    both = [one for one in old.rows if one in new.rows]
    moves = [_move(old, new, one) for one in both if not _is_same(old.rows[one], new.rows[one])]
    shared = [check for check in old.checks if check in new.checks]
    points = {check: (old.checks[check].max_score, new.checks[check].max_score) for check in shared}
    before, after = _only_graded(old, new, both), _only_graded(new, old, both)
    return Changes(
        old=old.label,
        new=new.label,
        moves=tuple(sorted(moves, key=_by_size)),
        same=len(both) - len(moves),
        only_old=tuple(sorted(one for one in old.rows if one not in new.rows)),
        only_new=tuple(sorted(one for one in new.rows if one not in old.rows)),
        new_checks=tuple(_only_there(new, old, after)),
        gone_checks=tuple(_only_there(old, new, before)),
        other_points={check: pair for check, pair in points.items() if pair[0] != pair[1]},
        only_graded_before=before,
        only_graded_after=after,
    )


def _only_graded(one: ClassView, other: ClassView, both: Iterable[str]) -> dict[str, str]:
    """Title by stem of the exercises that only `one` has for some submission of both."""
    titles = {info.exercise: info.exercise_title for info in one.checks.values()}
    stems = {
        stem
        for name in both
        if _have_checks(one.rows[name], other.rows[name])
        for stem in one.rows[name].exercises
        if stem not in other.rows[name].exercises
    }
    return {stem: title for stem, title in titles.items() if stem in stems}


def _only_there(one: ClassView, other: ClassView, left_out: Mapping[str, str]) -> Iterator[str]:
    for check, info in one.checks.items():
        if check not in other.checks and info.exercise not in left_out:
            yield check


def _have_checks(before: Row, after: Row) -> bool:
    return before.status in _WITH_CHECKS and after.status in _WITH_CHECKS


def _by_size(move: Move) -> tuple[float, str]:
    return (-float("inf") if move.change is None else -abs(move.change), move.id)


def _is_same(old: Row, new: Row) -> bool:
    if old.status != new.status:
        return False
    if old.score is None or new.score is None:
        return old.score is new.score
    return abs(old.score - new.score) < _SAME_SCORE


def _move(old: ClassView, new: ClassView, one: str) -> Move:
    before, after = old.rows[one], new.rows[one]
    return Move(
        id=one,
        status_before=before.status,
        status_after=after.status,
        before=before.score,
        after=after.score,
        checks=tuple(_check_changes(old, new, one)),
        causes=tuple(_causes(before, after)),
    )


def _check_changes(old: ClassView, new: ClassView, one: str) -> Iterator[CheckChange]:
    before, after = old.rows[one], new.rows[one]
    if not _have_checks(before, after):
        return
    for check in {**old.checks, **new.checks}:
        was, now = old.outcome(before, check), new.outcome(after, check)
        info = new.checks.get(check) or old.checks[check]
        if was != now and info.exercise in before.exercises and info.exercise in after.exercises:
            yield CheckChange(check, info.title, was, now, info.exercise_title)


def _causes(before: Row, after: Row) -> Iterator[str]:
    """What may have moved it; several may be true at once."""
    if before.suites != after.suites:
        yield "suites changed"
    if before.files != after.files:
        yield "submission changed"
    if before.grader != after.grader:
        yield "grader changed"
    if set(before.exercises) != set(after.exercises):
        yield OTHER_EXERCISES
