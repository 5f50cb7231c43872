"""What a save touches: which exercises to check again, those first whose own code changed."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from grader.catalog import Assignment, ExerciseSpec
from grader.records import ExerciseSource, SourceText, Submission

Batches = tuple[tuple[str, ...], ...]


def batches(assignment: Assignment, before: Submission | None, after: Submission, shown: str = "") -> Batches:
    """The stems to check, in one or two goes: first those that changed, then those that this may reach.

    Where many exercises share one file, those come first whose definitions changed, or else the one that is
    `shown`. Nothing to do is an empty tuple.
    """
    stems = assignment.stems
    if before is None:
        return (tuple(stems),)
    changed = [stem for stem in stems if before.exercises[stem] != after.exercises[stem]]
    own = [spec.stem for spec in _specs(assignment, changed) if _is_own_change(spec, before, after)]
    first = own or [stem for stem in changed if stem == shown] or changed
    reached = {*changed, *_reached(assignment, changed), *_helped(before, after)}
    rest = [stem for stem in stems if stem in reached and stem not in first]
    return tuple(tuple(batch) for batch in (first, rest) if batch)


def _specs(assignment: Assignment, stems: Collection[str]) -> Iterator[ExerciseSpec]:
    return (spec for spec in assignment.exercises if spec.stem in stems)


def _is_own_change(spec: ExerciseSpec, before: Submission, after: Submission) -> bool:
    old, new = before.exercises[spec.stem], after.exercises[spec.stem]
    return any(_definition(old, symbol) != _definition(new, symbol) for symbol in spec.symbols)


def _definition(answer: ExerciseSource, symbol: str) -> str:
    """The top-level statements that bind `symbol`, in normal form; the problem where there is no source."""
    if answer.source is None:
        return f"problem: {answer.problem}"
    try:
        tree = ast.parse(answer.source.text)
    except (SyntaxError, ValueError, RecursionError):
        return answer.source.text
    own = [node for node in tree.body if getattr(node, "name", "") == symbol]
    return "\n".join(ast.dump(node) for node in own)


def _reached(assignment: Assignment, changed: Collection[str]) -> set[str]:
    """Exercises that build on a changed one, directly or through others."""
    found = set(changed)
    while True:
        more = {spec.stem for spec in assignment.exercises if found & {*spec.uses}} - found
        if not more:
            return found
        found |= more


def _helped(before: Submission, after: Submission) -> set[str]:
    """All exercises with code, when a file changed that answers none of them and may be imported by any."""
    if _helpers(before) == _helpers(after):
        return set()
    return {stem for stem, answer in after.exercises.items() if answer.source is not None}


def _helpers(submission: Submission) -> dict[str, SourceText]:
    answering = {id(answer.source) for answer in submission.exercises.values()}
    return {name: one for name, one in submission.modules.items() if id(one) not in answering}
