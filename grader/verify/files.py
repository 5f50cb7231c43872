"""Whether an exercise has the files that prove it, each with its label, and words for its known mistakes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from grader.catalog import Assignment
from grader.verify.cases import Case, case_files, read_case
from grader.verify.schema import ProofProblem

# The known mistakes derive from this class; it is no mistake itself.
RIGHT = "Right"
_FOLDERS = (("wheats", True), ("chaffs", False))
_CHAFF_FIELDS = ("misconception", "TA", "detectable by")


def relative(path: Path, assignment: Assignment) -> str:
    return path.relative_to(assignment.root).as_posix() if path.is_relative_to(assignment.root) else str(path)


def find_labelled(assignment: Assignment, stem: str) -> tuple[list[Case], list[ProofProblem]]:
    """The wheats and chaffs of one exercise, and what is wrong with their labels."""
    cases: list[Case] = []
    problems: list[ProofProblem] = []
    for folder, holds_wheats in _FOLDERS:
        own = assignment.root / "tests" / folder / stem
        paths = list(case_files(own.parent, [stem])) if own.is_dir() else []
        for path in paths:
            case = read_case(path)
            wrong = _label_problem(path, case, holds_wheats)
            if case is not None and case.is_wheat == holds_wheats:
                cases.append(case)
            if wrong:
                where = relative(path, assignment)
                problems.append(
                    ProofProblem(path=where, line=1, exercise=stem, message=wrong[0], advice=wrong[1])
                )
        if not paths:
            problems.append(_no_cases(folder, stem))
    return cases, problems


def _label_problem(path: Path, case: Case | None, holds_wheats: bool) -> tuple[str, str] | None:
    kind = "WHEAT" if holds_wheats else "CHAFF"
    form = (
        "# WHEAT | differs: ..."
        if holds_wheats
        else "# CHAFF | misconception: ... | TA: ... | detectable by: ..."
    )
    if case is None:
        return (
            f"The file has no label, so nothing says that it is a {kind.lower()}.",
            f"Begin it with `{form}`.",
        )
    if case.is_wheat != holds_wheats:
        other = "tests/chaffs" if holds_wheats else "tests/wheats"
        return (
            f"The label does not say {kind}, as the folder does.",
            f"Correct it, or move the file to {other}.",
        )
    absent = [name for name in _CHAFF_FIELDS if not holds_wheats and not case.fields.get(name)]
    if absent:
        return f"The label lacks `{'`, `'.join(absent)}`.", f"Write it as `{form}`."
    return None


def _no_cases(folder: str, stem: str) -> ProofProblem:
    right = "right solutions in other styles" if folder == "wheats" else "wrong solutions"
    shows = "that fair code keeps its points" if folder == "wheats" else "that the checks catch anything"
    message = f"There are no {folder}: nothing shows {shows}."
    advice = f"Add {right}, a file each."
    return ProofProblem(path=f"tests/{folder}/{stem}", exercise=stem, message=message, advice=advice)


def stray_folders(assignment: Assignment) -> Iterator[ProofProblem]:
    """Folders of cases that belong to no exercise are never run."""
    for folder, _ in _FOLDERS:
        parent = assignment.root / "tests" / folder
        for path in sorted(parent.iterdir()) if parent.is_dir() else ():
            holds_code = path.is_dir() and any(path.glob("*.py"))
            if holds_code and path.name not in assignment.stems:
                yield ProofProblem(
                    path=relative(path, assignment),
                    message=f"No exercise is called `{path.name}`, so these {folder} are never run.",
                    advice=f"Rename the folder; the exercises are {', '.join(assignment.stems)}.",
                )


def missing_files(assignment: Assignment, stem: str) -> Iterator[ProofProblem]:
    wanted = (
        (assignment.stub(stem), "stub", "what students receive"),
        (assignment.reference(stem), "reference", "what results are compared with"),
        (assignment.suite(stem, "public"), "public suite", "the checks that students see"),
        (assignment.suite(stem, "hidden"), "hidden suite", "the checks that students do not see"),
    )
    for path, kind, purpose in wanted:
        if not path.is_file():
            yield ProofProblem(
                path=relative(path, assignment), exercise=stem, message=f"There is no {kind}.",
                advice=f"Write it: {purpose}.",
            )  # fmt: skip


def silent_mistakes(assignment: Assignment, stem: str) -> Iterator[ProofProblem]:
    """Known mistakes without words. That the file imports shows when the suites are prepared."""
    path = assignment.misconceptions(stem)
    where = relative(path, assignment)
    if not path.is_file():
        return
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as err:
        yield ProofProblem(
            path=where, line=getattr(err, "lineno", None), exercise=stem,
            message=f"The file of misconceptions is not valid Python: {err}.", advice="Correct it.",
        )  # fmt: skip
        return
    for node in tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
            continue
        if node.name != RIGHT and not ast.get_docstring(node):
            yield ProofProblem(
                path=where, line=node.lineno, exercise=stem,
                message=f"The misconception `{node.name}` has no docstring.",
                advice="Say what a good TA would say: what was done, why it is wrong, where to look.",
            )  # fmt: skip
