"""Counts over a class, report by report: a report is looked at once and then forgotten."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from grader.classroom.rows import Row, Rows
from grader.report.schema import UNTOUCHED, Report

_COUNTED = ("graded", "practice")


@dataclass
class CheckCount:
    """How often a check was run, and how it ended; `untouched` times nothing of its exercise was there."""

    id: str
    title: str
    exercise: str
    visibility: str
    max_score: float
    outcomes: Counter[str] = field(default_factory=Counter)
    untouched: int = 0

    @property
    def attempts(self) -> int:
        return self.outcomes.total() - self.untouched

    @property
    def passed_share(self) -> float:
        return self.outcomes["passed"] / self.attempts if self.attempts else 0.0


@dataclass(frozen=True)
class ExerciseInfo:
    title: str
    max_score: float
    track: str


@dataclass(frozen=True)
class Misconception:
    """A known mistake and in how many submissions it was found."""

    exercise: str
    name: str
    hint: str
    submissions: int


class Tally:
    """Rows by id, counts by check and misconception. A report replaces nothing: add each submission once."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.exercises: dict[str, ExerciseInfo] = {}
        self.checks: dict[str, CheckCount] = {}
        self.attempts: Counter[str] = Counter()  # by exercise: submissions that have something of it
        self._made = Rows()
        self._mistakes: Counter[tuple[str, str]] = Counter()
        self._hints: dict[tuple[str, str], str] = {}

    def add(self, report: Report) -> None:
        self.rows[report.submission.id] = self._made.row_of(report)
        for exercise in report.exercises:
            self.exercises.setdefault(
                exercise.stem, ExerciseInfo(exercise.title, exercise.max_score, exercise.track)
            )
        if report.status in _COUNTED:
            self._count_checks(report)

    def _count_checks(self, report: Report) -> None:
        mistakes: set[tuple[str, str]] = set()
        for exercise in report.exercises:
            is_untouched = exercise.status in UNTOUCHED
            self.attempts[exercise.stem] += not is_untouched
            for check in exercise.checks:
                count = self.checks.get(check.id)
                if count is None:
                    count = CheckCount(
                        check.id, check.title, exercise.stem, check.visibility, check.max_score
                    )
                    self.checks[check.id] = count
                count.outcomes[check.outcome] += 1
                count.untouched += is_untouched
                if check.diagnosis is not None:
                    mistake = (exercise.stem, check.diagnosis.misconception)
                    mistakes.add(mistake)
                    self._hints.setdefault(mistake, check.diagnosis.hint)
        self._mistakes.update(mistakes)

    def by_status(self) -> Counter[str]:
        return Counter(row.status for row in self.rows.values())

    def hardest_checks(self) -> list[CheckCount]:
        """Checks that somebody attempted and did not pass: first those of core exercises; hardest first."""
        missed = [count for count in self.checks.values() if count.attempts and count.passed_share < 1]
        return sorted(
            missed, key=lambda one: (self.exercises[one.exercise].track != "core", one.passed_share, one.id)
        )

    def is_left_out(self, stem: str) -> bool:
        """Is it an extension of which nobody handed in anything?"""
        return self.exercises[stem].track != "core" and not self.attempts[stem]

    def misconceptions(self) -> list[Misconception]:
        """Commonest first."""
        ordered = sorted(self._mistakes.items(), key=lambda item: (-item[1], item[0]))
        return [Misconception(stem, name, self._hints[stem, name], count) for (stem, name), count in ordered]

    def scores(self, stem: str) -> list[float]:
        """All scores of one exercise, sorted; what needs a regrade has none."""
        points = (row.exercises[stem].score for row in self.rows.values() if stem in row.exercises)
        return sorted(score for score in points if score is not None)

    def totals(self) -> list[float]:
        return sorted(row.score for row in self.rows.values() if row.score is not None)
