"""Everything that is graded to prove an exercise: stub, reference, null answers, wheats and chaffs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from grader.catalog import Assignment
from grader.errors import SubmissionError
from grader.load import load_submission
from grader.load.raw import Unreadable
from grader.records import SourceText, Submission
from grader.verify.attempts import Attempt, AttemptResult
from grader.verify.cases import Case
from grader.verify.files import relative
from grader.verify.schema import ProofProblem
from grader.verify.submissions import null_answers, read_source, stage

Kind = Literal["stub", "reference", "wheat", "chaff", "null"]


@dataclass(frozen=True)
class Subject:
    """One solution to be graded with the seeds 1 ... `seeds`. `path` is where its author would change it."""

    kind: Kind
    name: str
    stem: str
    path: str
    submission: Submission
    seeds: int
    case: Case | None = None

    @property
    def attempts(self) -> Iterator[Attempt]:
        for seed in range(1, self.seeds + 1):
            yield Attempt(self.name, self.stem, self.submission, seed)


@dataclass(frozen=True)
class Graded:
    """A subject and what became of it, seed by seed."""

    subject: Subject
    results: Sequence[AttemptResult]

    @property
    def lowest(self) -> AttemptResult:
        return min(self.results, key=lambda result: result.score)

    @property
    def highest(self) -> AttemptResult:
        return max(self.results, key=lambda result: result.score)

    def catchers(self) -> tuple[list[str], list[str]]:
        """The checks that fail with every seed, and those that fail only with some."""
        caught = [[check.name for check in result.checks if check.has_caught] for result in self.results]
        names = list(dict.fromkeys(name for names in caught for name in names))
        always = [name for name in names if all(name in names_ for names_ in caught)]
        return always, [name for name in names if name not in always]


def read_sources(
    assignment: Assignment, kind: Literal["stub", "reference"]
) -> tuple[dict[str, SourceText], list[ProofProblem]]:
    """All stubs or references that there are, by stem, and those that are no readable text."""
    sources: dict[str, SourceText] = {}
    problems: list[ProofProblem] = []
    for stem in assignment.stems:
        path = assignment.stub(stem) if kind == "stub" else assignment.reference(stem)
        if not path.is_file():
            continue
        try:
            sources[stem] = read_source(path, assignment.root)
        except Unreadable as err:
            where = relative(path, assignment)
            problems.append(
                ProofProblem(
                    path=where, exercise=stem, message=err.message, advice=err.hint or "Save it as UTF-8."
                )
            )
    return sources, problems


def fixed_subjects(
    assignment: Assignment, stem: str, stubs: Mapping[str, SourceText], references: Mapping[str, SourceText],
    seeds: int,
) -> Iterator[Subject]:  # fmt: skip
    """Stub, reference (with every seed, since its errors count as those of right code) and null answers."""
    spec = assignment.exercise(stem)
    if stem in stubs:
        submission = stage("the stub", stem, stubs[stem], stubs, assignment).submission
        yield Subject("stub", "the stub", stem, stubs[stem].path, submission, 1)
    if stem in references:
        submission = stage("the reference", stem, references[stem], references, assignment).submission
        yield Subject("reference", "the reference", stem, references[stem].path, submission, seeds)
        suite = relative(assignment.suite(stem, "hidden"), assignment)
        for null in null_answers(spec, references, assignment):
            yield Subject("null", null.name, stem, suite, null.submission, 1)


def case_subjects(
    assignment: Assignment, cases: Sequence[Case], *, wheat_seeds: int, chaff_seeds: int
) -> tuple[list[Subject], list[ProofProblem]]:
    """The labelled cases, and those that cannot be loaded at all."""
    subjects: list[Subject] = []
    problems: list[ProofProblem] = []
    for case in cases:
        path = relative(case.path, assignment)
        try:
            submission = load_submission(case.path, assignment)
        except SubmissionError as err:
            problems.append(_unloaded(path, case.stem, err.message))
            continue
        problem = submission.exercises[case.stem].problem
        if problem is not None:
            problems.append(_unloaded(path, case.stem, problem.message))
            continue
        kind: Kind = "wheat" if case.is_wheat else "null" if case.is_null else "chaff"
        seeds = wheat_seeds if case.is_wheat else chaff_seeds
        subjects.append(Subject(kind, case.path.stem, case.stem, path, submission, seeds, case))
    return subjects, problems


def _unloaded(path: str, stem: str, message: str) -> ProofProblem:
    return ProofProblem(
        path=path, exercise=stem, message=f"No check is run on this file: {message}",
        advice="Make it define what the exercise asks for.",
    )  # fmt: skip


def stub_problems(assignment: Assignment, stems: Sequence[str]) -> Iterator[ProofProblem]:
    """The handout itself, submitted as it is, counts as not attempted."""
    try:
        handed_in = load_submission(assignment.root / "exercises", assignment)
    except SubmissionError as err:
        yield ProofProblem(path="exercises", message=err.message, advice="Write the stubs.")
        return
    for stem in stems:
        problem = handed_in.exercises[stem].problem
        found = problem.outcome if problem is not None else "attempted"
        if found != "not_attempted" and assignment.stub(stem).is_file():
            yield ProofProblem(
                path=relative(assignment.stub(stem), assignment),
                exercise=stem,
                message=f"Submitted as it is, the stub counts as `{found}`; expected `not_attempted`. "
                f"{problem.message if problem is not None else ''}".strip(),
                advice="Let its functions do nothing but `raise NotImplementedError`.",
            )
