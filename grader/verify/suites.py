"""What can be said of suites without running them: titles, points, hints, and that no answer leaks out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.catalog import Assignment
from grader.records import Visibility
from grader.verify.files import relative
from grader.verify.leaks import leaks, parse_file
from grader.verify.schema import ProofProblem

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_KINDS: tuple[Visibility, ...] = ("public", "hidden")
# Points are written with at most four decimals.
_POINTS_TOLERANCE = 1e-6


class _Place:
    """Makes problems of one file."""

    def __init__(self, path: Path, assignment: Assignment, stem: str) -> None:
        self.path, self.stem = relative(path, assignment), stem

    def problem(self, line: int | None, message: str, advice: str) -> ProofProblem:
        return ProofProblem(path=self.path, line=line, exercise=self.stem, message=message, advice=advice)


def written_problems(assignment: Assignment, stem: str) -> Iterator[ProofProblem]:
    """What is wrong with the text of an exercise's suites and of its stub."""
    for kind in _KINDS:
        path = assignment.suite(stem, kind)
        tree = parse_file(path)
        place = _Place(path, assignment, stem)
        if isinstance(tree, SyntaxError):
            yield place.problem(tree.lineno, f"The suite is not valid Python: {tree.msg}.", "Correct it.")
        elif tree is not None:
            yield from _untitled(tree, place)
            if kind == "public":
                yield from _uses_of_reference(tree, place, assignment)
    yield from _repeated(assignment, stem)
    yield from leaks(assignment, stem)


def _untitled(tree: ast.Module, place: _Place) -> Iterator[ProofProblem]:
    for node in _checks(tree):
        if not (ast.get_docstring(node) or "").strip():
            message = f"`{node.name}` has no title: students see the first line of its docstring."
            yield place.problem(node.lineno, message, "Say in one line what the check is about.")


def _checks(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.name.startswith("test_"):
            yield node


def _uses_of_reference(tree: ast.Module, place: _Place, assignment: Assignment) -> Iterator[ProofProblem]:
    """A public suite is handed out and runs without the staff's files."""
    advice = "Write the expected values down, small enough to be worked out by hand."
    forbidden = {"solutions", "importlib", *assignment.stems}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.arg == "reference":
            yield place.problem(node.lineno, "The public suite uses the `reference` fixture.", advice)
        elif isinstance(node, ast.Constant) and node.value == "reference":
            yield place.problem(node.lineno, 'The public suite asks for "reference".', advice)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "solutions" in node.value:
            yield place.problem(node.lineno, "The public suite mentions `solutions`.", advice)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            wrong = sorted(_imported(node) & forbidden)
            if wrong:
                yield place.problem(node.lineno, f"The public suite imports `{'`, `'.join(wrong)}`.", advice)


def _imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return {name.partition(".")[0] for name in names}


def catalogue_problems(
    assignment: Assignment, stem: str, catalogue: Sequence[Mapping[str, Any]]
) -> Iterator[ProofProblem]:
    """What is wrong with points, hints and markers of the exercise's checks, as pytest has collected them."""
    lines = _lines_of_checks(assignment, stem)
    for entry in catalogue:
        place = _Place(assignment.suite(stem, entry["visibility"]), assignment, stem)
        line = lines.get((entry["visibility"], entry["name"]))
        name = entry["name"]
        if not entry["points"] > 0:
            message = f"`{name}` carries {entry['points']:g} points."
            yield place.problem(line, message, "Add `@pytest.mark.points(n)` with n > 0.")
        if not entry["hint"].strip():
            message = f"`{name}` has no hint."
            yield place.problem(line, message, 'Add `@pytest.mark.hint("...")`: what a student may try.')
        known = {other["name"] for other in catalogue}
        for needed in entry["needs"]:
            if needed not in known:
                message = f"`{name}` needs `{needed}`, which is no check of this exercise: it never runs."
                yield place.problem(line, message, "Correct the name.")
    yield from _sums(assignment, stem, catalogue)


def _sums(
    assignment: Assignment, stem: str, catalogue: Sequence[Mapping[str, Any]]
) -> Iterator[ProofProblem]:
    if not catalogue:
        return
    spec = assignment.exercise(stem)
    total = sum(entry["points"] for entry in catalogue)
    toml = _Place(assignment.root / "exercises" / "assignment.toml", assignment, stem)
    if abs(total - spec.points) > _POINTS_TOLERANCE:
        message = f"The checks of `{stem}` carry {total:g} points, the exercise {spec.points:g}."
        yield toml.problem(None, message, "Make them add up.")
    hidden = _Place(assignment.suite(stem, "hidden"), assignment, stem)
    accelerated = [entry["name"] for entry in catalogue if entry["accelerator"]]
    if len(accelerated) != 1:
        seen = f"`{'`, `'.join(accelerated)}` are" if accelerated else "No check is"
        message = f"{seen} marked `accelerator`; expected exactly one."
        yield hidden.problem(None, message, 'One check, "runs where its inputs are", repeats the values.')


def _repeated(assignment: Assignment, stem: str) -> Iterator[ProofProblem]:
    """A name in both suites: the two would count as one check, so nothing is graded."""
    lines = _lines_of_checks(assignment, stem)
    place = _Place(assignment.suite(stem, "hidden"), assignment, stem)
    for (kind, name), line in lines.items():
        if kind == "hidden" and ("public", name) in lines:
            yield place.problem(line, f"`{name}` is also the name of a public check.", "Rename one of them.")


def _lines_of_checks(assignment: Assignment, stem: str) -> dict[tuple[str, str], int]:
    trees = {kind: parse_file(assignment.suite(stem, kind)) for kind in _KINDS}
    return {
        (kind, node.name): node.lineno
        for kind, tree in trees.items()
        if isinstance(tree, ast.Module)
        for node in _checks(tree)
    }
