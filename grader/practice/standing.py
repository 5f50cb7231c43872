"""Where a student stands: the latest result of every exercise, what is done, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.catalog import Assignment
from grader.report.schema import CheckResult, ExerciseResult, ReportNote

# An exercise that was begun comes first; an absent one may be a slip in a name.
_URGENCY = {"missing": 1, "not_attempted": 2}


@dataclass(frozen=True)
class Checked:
    """What one run brought. `waiting` are the ids of checks whose hint is shown only when asked for."""

    exercises: tuple[ExerciseResult, ...]
    waiting: frozenset[str]
    notes: tuple[ReportNote, ...] = ()


@dataclass(frozen=True)
class Standing:
    """The results so far, in the order of the assignment. `uses` says what builds on what, by stem."""

    title: str
    order: tuple[str, ...]
    uses: tuple[tuple[str, tuple[str, ...]], ...]
    exercises: tuple[ExerciseResult, ...] = ()
    waiting: frozenset[str] = frozenset()
    notes: tuple[ReportNote, ...] = ()

    def updated(self, checked: Checked) -> Standing:
        """With newer results in the place of older ones."""
        fresh = {result.stem: result for result in checked.exercises}
        known = {result.stem: result for result in self.exercises} | fresh
        old = {check.id for result in checked.exercises for check in result.checks}
        return Standing(
            self.title,
            self.order,
            self.uses,
            tuple(known[stem] for stem in self.order if stem in known),
            (self.waiting - old) | checked.waiting,
            checked.notes,
        )

    def find(self, stem: str) -> ExerciseResult | None:
        return next((result for result in self.exercises if result.stem == stem), None)

    def is_known_as(self, result: ExerciseResult) -> bool:
        """Did the exercise end this way before?"""
        known = self.find(result.stem)
        return known is not None and _seen(known) == _seen(result)

    @property
    def open(self) -> list[ExerciseResult]:
        """What is not done, best first: begun before absent before untouched, core before extension."""
        unfinished = [result for result in self.exercises if not is_done(result)]
        return sorted(unfinished, key=lambda r: (r.track != "core", _URGENCY.get(r.status, 0)))

    @property
    def first(self) -> ExerciseResult | None:
        """What to show in full: the best of what is open, but no extension exercise that nobody began.

        Where only some exercises were asked for, they were asked for by name, and it may be any of them.
        """
        found = self.open[0] if self.open else None
        is_offered = found is not None and found.track != "core" and found.status == "not_attempted"
        return None if is_offered and self.counting_done else found

    @property
    def counting_done(self) -> int:
        """How many exercises count, once all of them are done; 0 before, or if not all were asked for."""
        core = [result for result in self.exercises if result.track == "core"]
        is_whole = len(self.exercises) == len(self.order)
        return len(core) if is_whole and all(map(is_done, core)) else 0

    def next_after(self, stem: str) -> ExerciseResult | None:
        """The next one that is not done, round and round in the order of the assignment."""
        stems = [result.stem for result in self.exercises]
        start = stems.index(stem) + 1 if stem in stems else 0
        turned = [*self.exercises[start:], *self.exercises[:start]]
        return next((result for result in turned if not is_done(result)), None)

    def in_the_way(self, result: ExerciseResult) -> list[ExerciseResult]:
        """Exercises that this one builds on and that do not pass yet."""
        used = dict(self.uses).get(result.stem, ())
        return [other for other in self.exercises if other.stem in used and not is_done(other)]

    def hint_waits(self, check: CheckResult) -> bool:
        return check.id in self.waiting and bool(check.hint)


def begin_standing(assignment: Assignment) -> Standing:
    """Nothing is known yet."""
    uses = tuple((spec.stem, spec.uses) for spec in assignment.exercises)
    return Standing(assignment.title, assignment.stems, uses)


def _seen(result: ExerciseResult) -> tuple[object, ...]:
    """What a student sees of a result."""
    checks = [(check.outcome, check.message, check.frames) for check in result.checks]
    return result.status, checks, result.stdout


def is_done(result: ExerciseResult) -> bool:
    return result.status == "passed"


def passed(checks: Sequence[CheckResult]) -> int:
    return sum(check.outcome == "passed" for check in checks)


def to_fix(result: ExerciseResult) -> list[CheckResult]:
    """The checks that do not pass, those that were only skipped last."""
    failed = [check for check in result.checks if check.outcome != "passed"]
    return sorted(failed, key=lambda check: check.outcome == "skipped")
