"""Keeps what the checks of an exercise saw, and names the mistakes once the exercise is over."""

from __future__ import annotations

import re
import time
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch

from grader.catalog import Assignment
from grader.diagnose.investigation import Case, Investigation
from grader.diagnose.mistakes import Mistake, Mistakes, load_mistakes
from grader.diagnose.outcomes import Outcomes
from grader.diagnose.replay import sight
from grader.student.calls import Call, Made
from grader.student.handle import Student
from grader.suite.checks import CheckInfo, NamedMistake
from grader.suite.verdict import Verdict

# CPU seconds that naming the mistakes of one exercise may take.
BUDGET_S = 0.4
# A check can name a mistake that it saw; these reasons hold even where the numbers are wrong as well.
CERTAIN_REASONS = ("dtype", "state", "attribute", "type")
Tolerances = Mapping[torch.dtype, float]


@dataclass(frozen=True)
class Finding:
    """A named mistake. `staff_note` says what went wrong with the naming itself."""

    misconception: str = ""
    hint: str = ""
    staff_note: str = ""


@dataclass(frozen=True)
class Ended:
    """One case of a check that has ended, as it was seen."""

    id: str
    info: CheckInfo
    verdict: Verdict
    device: str
    calls: Sequence[Call]
    made: Sequence[Made]

    @property
    def is_passed(self) -> bool:
        return self.verdict.outcome in ("passed", "skipped")

    def as_case(self, symbols: Sequence[str]) -> Case:
        records: list[Call | Made] = [*self.made, *self.calls]
        seen = (sight(record) for record in records if record.symbol in symbols)
        chosen = [s for s in seen if s is not None and not (s.outcome.raised and self.device != "cpu")]
        return Case(self.id, self.is_passed, chosen)


@dataclass
class Diagnoser:
    """Built once for an assignment, before judges are forked; each judge then remembers its own checks.

    Raises:
        AssignmentError: a file of misconceptions does not import.
    """

    assignment: Assignment
    references: Mapping[str, types.ModuleType]
    tolerances: Mapping[str, Tolerances]
    budget_s: float = BUDGET_S
    outcomes: Outcomes = field(default_factory=Outcomes)
    mistakes: dict[str, Mistakes] = field(init=False)
    _ended: dict[str, list[Ended]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.mistakes = {
            stem: load_mistakes(stem, self.assignment.misconceptions(stem)) for stem in self.references
        }

    def remember(self, case_id: str, info: CheckInfo, verdict: Verdict, student: Student) -> None:
        """Keep what a case saw. Copies nothing and computes nothing."""
        ended = Ended(case_id, info, verdict, student.device, student.calls, student.made)
        self._ended.setdefault(info.stem, []).append(ended)

    def forget(self, stem: str) -> None:
        """What the cases of the exercise saw does not count: they run again."""
        self._ended.pop(stem, None)

    def conclude(self, stem: str) -> dict[str, Finding]:
        """What is to be said about the cases of an exercise that is over, by id; forgets them.

        Raises nothing: whatever goes wrong in here is noted for the staff and changes no verdict.
        """
        ended = self._ended.pop(stem, [])
        failed = [case for case in ended if not case.is_passed]
        if stem not in self.references or not failed:
            return {}
        try:
            with torch.random.fork_rng(devices=[]):
                return self._conclude(stem, ended, failed)
        except Exception as err:  # noqa: BLE001  # a grade does not depend on whether a mistake has a name
            note = f"the diagnosis failed: {type(err).__name__}: {err}"
            return {case.id: Finding(staff_note=note) for case in failed}

    def _conclude(self, stem: str, ended: Sequence[Ended], failed: Sequence[Ended]) -> dict[str, Finding]:
        symbols = self.assignment.exercise(stem).symbols
        investigation = Investigation(
            self.mistakes[stem],
            {symbol: getattr(self.references[stem], symbol) for symbol in symbols},
            self.tolerances.get(stem, {}),
            [case.as_case(symbols) for case in ended],
            time.process_time() + self.budget_s,
            self.outcomes,
        )
        explained = investigation.explain()
        notes = "; ".join(f"the misconception `{n}` raised {why}" for n, why in investigation.broken.items())
        findings = {case.id: self._find(case, explained, investigation, ended) for case in failed}
        return {case_id: replace(finding, staff_note=notes) for case_id, finding in findings.items()}

    def _find(
        self,
        case: Ended,
        explained: Mapping[str, Mistake],
        investigation: Investigation,
        ended: Sequence[Ended],
    ) -> Finding:
        if case.id in explained:
            return Finding(explained[case.id].name, explained[case.id].hint)
        words = self.mistakes[case.info.stem].words
        name = next((name for name in self._named(case, ended) if name in words), "")
        can_be_repeated = any(mistake.name == name for mistake in self.mistakes[case.info.stem].repeatable)
        is_certain = not can_be_repeated and (
            case.verdict.reason in CERTAIN_REASONS or name in (WRONG_DEVICE, NEEDS_A_GPU, NO_SUPER_INIT)
        )
        # What a check sees in training mode is believed only where evaluation is right.
        is_doubtful = bool(explained) or (
            investigation.is_random_in(case.id) and bool(set(investigation.differing) - {case.id})
        )
        if not name or (is_doubtful and not is_certain):
            return Finding()
        return Finding(name, words[name])

    def _named(self, case: Ended, ended: Sequence[Ended]) -> list[str]:
        """The names that the check itself, its markers or its device give, in this order."""
        verdict = case.verdict
        is_fine_on_cpu = all(
            c.is_passed for c in ended if c.info.name == case.info.name and c.device == "cpu"
        )
        errors = [made.raised for made in case.made] + [call.raised for call in case.calls]
        if any("CUDA" in error or "NVIDIA" in error for error in errors):
            return [NEEDS_A_GPU]
        if any(_SUPER_INIT.search(error) for error in errors):
            return [NO_SUPER_INIT]
        if case.device != "cpu" and is_fine_on_cpu and verdict.outcome in ("raised", "failed"):
            return [WRONG_DEVICE]
        marked = [m.name for m in case.info.misconceptions if _is_covered(m, verdict.reason, errors)]
        return [name for name in (verdict.misconception, *marked) if name]


def _is_covered(mistake: NamedMistake, reason: str, errors: Sequence[str]) -> bool:
    """Is this failure one that the marker is about? A reason with a colon is a pattern for "Type: text"."""
    return not mistake.reasons or any(
        any(re.search(wanted, error) for error in errors) if ":" in wanted else wanted == reason
        for wanted in mistake.reasons
    )


WRONG_DEVICE = "wrong_device"
NEEDS_A_GPU = "needs_a_gpu"
NO_SUPER_INIT = "no_super_init"
# What torch says of a module whose `nn.Module.__init__` has not run: on an assignment, and on a call.
_SUPER_INIT = re.compile(
    r"AttributeError: .*(before Module\.__init__\(\) call"
    r"|has no attribute '_(parameters|buffers|modules|(forward|backward)_(pre_)?hooks)')"
)
