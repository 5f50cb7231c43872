"""The mistakes of one exercise against all that its checks have seen: which mistake explains which check."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch

from grader.diagnose.mistakes import Mistake, Mistakes
from grader.diagnose.outcomes import Outcome, Outcomes
from grader.diagnose.replay import Compared, Repeater, Sighting, compare, has_modes
from grader.student.calls import Made

# So many equal numbers that differ from the right ones are no coincidence.
ENOUGH_ENTRIES = 12
MAX_SIGHTINGS = 16
MAX_EVIDENCE = 64
# Errors that a mistaken version may well raise, because the student's code raises them too.
EXPECTED_ERRORS = ("RuntimeError", "ValueError", "IndexError")


@dataclass(frozen=True)
class Case:
    """One case of a check: what its calls gave, and whether they were judged right."""

    id: str
    is_passed: bool
    sightings: Sequence[Sighting]


@dataclass
class Explanation:
    """The cases that a mistake explains, and how much of everything that was seen agrees with it."""

    mistake: Mistake
    cases: list[str] = field(default_factory=list)
    entries: int = 0
    agreed: int = 0
    contradicted: int = 0


class Investigation:
    """Answers until `deadline_s` (of this process's CPU time), then finds nothing any more."""

    def __init__(
        self,
        mistakes: Mistakes,
        references: Mapping[str, Any],
        tolerances: Mapping[torch.dtype, float],
        cases: Sequence[Case],
        deadline_s: float,
        outcomes: Outcomes | None = None,
    ) -> None:
        self.mistakes, self.references, self.tolerances = mistakes, references, tolerances
        self.cases, self.deadline_s = cases, deadline_s
        self.broken: dict[str, str] = {}
        self.repeater = Repeater(outcomes)
        self._has_modes: dict[str, bool] = {}

    @property
    def is_over(self) -> bool:
        return time.process_time() >= self.deadline_s

    @cached_property
    def compared(self) -> dict[str, list[Compared]]:
        """What the cases saw beside the reference; the calls that differ stand first."""
        found: dict[str, list[Compared]] = {}
        for case in self.cases:
            seen = [s for s in case.sightings if not self.is_random(s)]
            chosen = seen[:MAX_SIGHTINGS] if case.is_passed else seen[-MAX_SIGHTINGS:]
            pairs = [self._compare(sighting) for sighting in chosen if not self.is_over]
            found[case.id] = sorted(pairs, key=lambda pair: not pair.differs)
        return found

    def is_random(self, sighting: Sighting) -> bool:
        """A call in training mode of a module that drops something (or the like) there."""
        call = sighting.call
        if isinstance(call, Made) or not call.training:
            return False
        if call.symbol not in self._has_modes:
            self._has_modes[call.symbol] = has_modes(self.references[call.symbol], call)
        return self._has_modes[call.symbol]

    def is_random_in(self, case_id: str) -> bool:
        return any(self.is_random(s) for case in self.cases if case.id == case_id for s in case.sightings)

    def _compare(self, sighting: Sighting) -> Compared:
        expected = self.repeater.repeat(self.references[sighting.call.symbol], sighting)
        return compare(sighting, expected, self.tolerances)

    @cached_property
    def differing(self) -> list[str]:
        """The failed cases in which the student's numbers differ from the reference's."""
        return [
            case.id
            for case in self.cases
            if not case.is_passed and any(pair.differs for pair in self.compared[case.id])
        ]

    def explain(self) -> dict[str, Mistake]:
        """The mistake that explains a case, by case; single mistakes first, then two at once."""
        if not self.mistakes.repeatable or not self.differing:
            return {}
        found = self._choose(self._explanations_of_all(), self.differing)
        if not found:
            singles = self._explanations(self.mistakes.repeatable, self.differing)
            found = self._choose(singles, self.differing)
        rest = [case_id for case_id in self.differing if case_id not in found]
        if rest and not self.is_over:
            found |= self._choose(self._pair_explanations(rest, found.values()), rest)
        return found

    def _explanations_of_all(self) -> list[Explanation]:
        """The mistakes that explain every case: they win over all others, and one case tries most of them."""
        if len(self.differing) == 1:
            return []
        probe = min(self.differing, key=lambda case_id: len(self.compared[case_id]))
        likely = [e.mistake for e in self._explanations(self.mistakes.repeatable, [probe])]
        found = self._explanations(likely, self.differing)
        return [explanation for explanation in found if len(explanation.cases) == len(self.differing)]

    def _pair_explanations(self, rest: Sequence[str], found: Iterable[Mistake]) -> list[Explanation]:
        """Two at once, one of them already found if there is any, tried on what says most first."""
        known = {mistake.name for mistake in found}
        pairs = (pair for pair in self.mistakes.pairs() if not known or known & set(pair.names))
        probe = max(rest, key=lambda case_id: sum(seen.entries for seen in self.compared[case_id]))
        likely = [e.mistake for e in self._explanations(pairs, [probe])]
        return self._explanations(likely, rest)

    def _explanations(self, mistakes: Iterable[Mistake], case_ids: Sequence[str]) -> list[Explanation]:
        found = []
        for mistake in mistakes:
            if self.is_over:
                break
            explanation = Explanation(mistake)
            for case_id in case_ids:
                if self._explains(mistake, self.compared[case_id]):
                    explanation.cases.append(case_id)
                    explanation.entries += sum(pair.entries for pair in self.compared[case_id])
            if explanation.cases:
                found.append(explanation)
        return found

    def _explains(self, mistake: Mistake, pairs: Sequence[Compared]) -> bool:
        return all(self._agrees(mistake, pair) for pair in pairs)

    def _agrees(self, mistake: Mistake, pair: Compared) -> bool:
        call = pair.sighting.call
        is_about = mistake.symbol in ("", call.symbol) and mistake.is_module == pair.sighting.is_module
        if not is_about:
            return not pair.differs
        is_kept = not mistake.is_pair
        outcome = self.repeater.repeat(mistake.source, pair.sighting, is_strict=True, is_kept=is_kept)
        self._note_broken(mistake, outcome, pair.sighting)
        if pair.overflows and not pair.agrees_with(outcome):
            outcome = self.repeater.repeat(
                mistake.source, pair.sighting, is_strict=True, is_kept=is_kept, is_wide=False
            )
        return pair.agrees_with(outcome)

    def _note_broken(self, mistake: Mistake, outcome: Outcome, sighting: Sighting) -> None:
        """An exception of a kind that no student's mistake explains is its author's."""
        is_expected = outcome.raised.startswith(EXPECTED_ERRORS) or "NoneType" in outcome.raised
        if outcome.raised and not is_expected and not sighting.outcome.raised and not mistake.is_pair:
            self.broken[mistake.name] = outcome.raised

    def _choose(self, explanations: list[Explanation], case_ids: Sequence[str]) -> dict[str, Mistake]:
        """The best of the explanations of each case that are more than a coincidence."""
        if len(explanations) > 1 or any(e.entries < ENOUGH_ENTRIES for e in explanations):
            for explanation in explanations:
                self._weigh(explanation)
        explanations = [e for e in explanations if self._is_sound(e, case_ids)]
        # Sorting is stable: of equals the one that stands first in the author's file wins.
        explanations.sort(key=lambda e: (-len(e.cases), e.contradicted, -e.agreed))
        found: dict[str, Mistake] = {}
        for explanation in explanations:
            for case_id in explanation.cases:
                found.setdefault(case_id, explanation.mistake)
        return found

    def _is_sound(self, explanation: Explanation, case_ids: Sequence[str]) -> bool:
        if explanation.entries >= ENOUGH_ENTRIES:
            return True
        if explanation.mistake.is_pair:
            return False
        if len(explanation.cases) > 1:
            return True
        return len(explanation.cases) == len(case_ids) and explanation.contradicted == 0

    def _weigh(self, explanation: Explanation) -> None:
        """How much of everything that was seen, also in checks that passed, agrees with it."""
        evidence = [pair for pairs in self.compared.values() for pair in pairs][:MAX_EVIDENCE]
        for pair in evidence:
            if self.is_over:
                return
            if self._agrees(explanation.mistake, pair):
                explanation.agreed += 1
            else:
                explanation.contradicted += 1
