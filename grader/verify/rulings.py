"""What has to hold for each kind of solution, and what to tell the author where it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.catalog import Assignment
from grader.verify.attempts import AttemptResult, CheckRun
from grader.verify.files import relative
from grader.verify.margins import CHAFF_FACTOR, WHEAT_FACTOR, is_tight_enough, is_wide_enough
from grader.verify.schema import CaseProof, MarginProof, ProofProblem
from grader.verify.subjects import Graded, Kind

NULL_SHARE = 0.2  # of an exercise's points, for an answer that knows nothing
_SCORE_TOLERANCE = 1e-6
_MESSAGE_CHARACTERS = 240
_CHECKS_TOLD = 4


def describe_case(graded: Graded) -> CaseProof:
    subject = graded.subject
    shown = graded.lowest if subject.kind in ("wheat", "reference") else graded.highest
    always, _ = graded.catchers()
    names = (check.diagnosis for result in graded.results for check in result.checks if check.diagnosis)
    return CaseProof(
        name=subject.name,
        kind=subject.kind,
        path=subject.path,
        seeds=subject.seeds,
        score=round(shown.score, 4),
        max_score=round(shown.max_score, 4),
        caught_by=tuple(always),
        only_catcher=always[0] if subject.kind == "chaff" and len(always) == 1 else None,
        diagnosis=tuple(dict.fromkeys(names)),
        label=subject.case.label if subject.case else "",
    )


def rule(graded: Graded, assignment: Assignment) -> Iterator[ProofProblem]:
    """Every problem of one solution."""
    yield from RULES[graded.subject.kind](graded, assignment)


def _problem(graded: Graded, message: str, advice: str) -> ProofProblem:
    subject = graded.subject
    return ProofProblem(path=subject.path, exercise=subject.stem, message=message, advice=advice)


def _score(result: AttemptResult) -> str:
    return f"{result.score:g} of {result.max_score:g} points"


def _names(checks: Sequence[CheckRun]) -> str:
    return ", ".join(f"`{check.name}`" for check in checks)


def _rule_stub(graded: Graded, assignment: Assignment) -> Iterator[ProofProblem]:
    if graded.highest.score > 0:
        passed = _names([check for check in graded.highest.checks if check.is_passed])
        message = f"The stub earns {_score(graded.highest)} ({passed}); a stub earns nothing."
        yield _problem(graded, message, "Take the answer out of it, or make these checks prove something.")


def _rule_right(graded: Graded, assignment: Assignment) -> Iterator[ProofProblem]:
    losing = [result for result in graded.results if not result.is_full]
    if not losing:
        return
    result = losing[0]
    lost = [check for check in result.checks if not check.is_passed]
    told = "; ".join(f"`{check.name}` ({_why(check)})" for check in lost[:_CHECKS_TOLD])
    more = f" and {len(lost) - _CHECKS_TOLD} more" if len(lost) > _CHECKS_TOLD else ""
    seeds = f"with {len(losing)} of {len(graded.results)} seeds, first {result.attempt.seed}"
    what = "The reference" if graded.subject.kind == "reference" else "This right solution"
    advice = (
        "Correct the reference, or the expected values of these checks."
        if graded.subject.kind == "reference"
        else "Make these checks fair, or correct the wheat."
    )
    yield _problem(graded, f"{what} earns {_score(result)} ({seeds}). It loses {told}{more}.", advice)


def _why(check: CheckRun) -> str:
    said = check.staff_message if check.outcome == "harness_error" else check.message
    text = " ".join((said or "no words").split())
    shown = text if len(text) <= _MESSAGE_CHARACTERS else f"{text[:_MESSAGE_CHARACTERS]}..."
    return f"{check.outcome.replace('_', ' ')}: {shown}"


def _rule_chaff(graded: Graded, assignment: Assignment) -> Iterator[ProofProblem]:
    case = graded.subject.case
    about = case.fields.get("TA", "") if case else ""
    kinds = ", ".join(case.detectable_by) if case else ""
    free = [str(result.attempt.seed) for result in graded.results if not result.is_caught]
    if free:
        always = len(free) == len(graded.results)
        when = "" if always else f" with seed {', '.join(free)} of {len(graded.results)}"
        message = f"No check catches this wrong solution{when}. {about}".strip()
        yield _problem(graded, message, f"Add a check of its {kinds or 'results'} that fails for it.")
        return
    _, sometimes = graded.catchers()
    if sometimes:
        message = f"Whether `{'`, `'.join(sometimes)}` catches this wrong solution depends on the seed."
        yield _problem(graded, message, "Choose inputs that always tell, or that never do.")


def _rule_null(graded: Graded, assignment: Assignment) -> Iterator[ProofProblem]:
    subject, result = graded.subject, graded.highest
    allowed = NULL_SHARE * assignment.exercise(subject.stem).points
    if result.score > allowed + _SCORE_TOLERANCE:
        passed = _names([check for check in result.checks if check.is_passed and check.points > 0])
        message = (
            f"A null answer ({subject.name}) earns {_score(result)}, more than a fifth: it passes {passed}."
        )
        yield _problem(graded, message, "Pair what must not change with what must in these checks.")


RULES: Mapping[Kind, Callable[[Graded, Assignment], Iterator[ProofProblem]]] = {
    "stub": _rule_stub,
    "reference": _rule_right,
    "wheat": _rule_right,
    "chaff": _rule_chaff,
    "null": _rule_null,
}


def broken_checks(graded: Sequence[Graded], assignment: Assignment, stem: str) -> Iterator[ProofProblem]:
    """Checks that end with an error of their own, each once, with the first solution that shows it."""
    told: set[str] = set()
    for one in graded:
        for check in (check for result in one.results for check in result.broken_checks):
            if check.name in told:
                continue
            told.add(check.name)
            message = f"The check `{check.name}` itself fails on {one.subject.name}: {_why(check)}"
            yield _suite_problem(assignment, stem, message, "Correct the check; it must end with a verdict.")


def device_problems(reference: Graded, assignment: Assignment) -> Iterator[ProofProblem]:
    """A device check that cannot even say anything of the reference is worth nothing."""
    for check in reference.results[0].checks:
        unclear = [name for name, state in check.devices.items() if state == "inconclusive"]
        if unclear:
            device = ", ".join(unclear)
            message = f"On {device}, `{check.name}` says nothing of the reference: {check.staff_message}"
            advice = "Use operations in the reference that the device supports."
            yield _suite_problem(assignment, reference.subject.stem, message, advice)


def margin_problems(
    margins: Sequence[MarginProof], assignment: Assignment, stem: str
) -> Iterator[ProofProblem]:
    for margin in margins:
        bound = f"The tolerance {margin.tolerance:.3g} for {margin.dtype}"
        if not is_wide_enough(margin):
            wanted = WHEAT_FACTOR * margin.worst_wheat
            message = (
                f"{bound} is too tight: `{margin.worst_wheat_name}`, which is right, is off by "
                f"{margin.worst_wheat:.2g}, and {WHEAT_FACTOR:g} times that is {wanted:.2g}."
            )
            yield _suite_problem(assignment, stem, message, "Loosen it, or choose milder inputs.")
        if not is_tight_enough(margin) and margin.nearest_chaff is not None:
            limit = margin.nearest_chaff / CHAFF_FACTOR
            message = (
                f"{bound} is too loose: `{margin.nearest_chaff_name}`, which is wrong, is off by "
                f"{margin.nearest_chaff:.2g}, and a tenth of that is {limit:.2g}."
            )
            yield _suite_problem(assignment, stem, message, "Tighten it, or choose inputs that tell more.")


def _suite_problem(assignment: Assignment, stem: str, message: str, advice: str) -> ProofProblem:
    hidden = assignment.suite(stem, "hidden")
    path = hidden if hidden.is_file() else assignment.suite(stem, "public")
    return ProofProblem(path=relative(path, assignment), exercise=stem, message=message, advice=advice)
