"""The notebook of an assignment: made from its stubs and from a text per exercise, never edited by hand.

An exercise gives a cell of text (`exercises/notebook/<stem>.md` below its title), its stub, a cell that
checks, and, where `tests/public/see/<stem>.py` draws something, a cell that shows it. The same files give the
same bytes, so a comparison tells whether the notebook is in step.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.catalog import Assignment, ExerciseSpec
from grader.errors import AssignmentError

TEXTS = Path("exercises") / "notebook"
MAX_ID = 40  # of an exercise's name in the ids of its cells; nbformat allows 64 characters in all

_START = """\
# {title}

Every exercise below has a cell with a function or class to fill in. Run the next cell once; then, exercise
by exercise: read, replace `raise NotImplementedError`, run the cell, run the check below it, and change until
all of its checks pass. Any order is fine, as long as you run what an exercise builds on first.

The checks in this notebook are the public ones: practice. More are run on what you hand in. **Save the
notebook before you hand it in** (File > Save).
"""
_SET_UP = """\
# "No module named 'grader'"? Install it as README.md says, and start Jupyter from that environment.
from grader.notebook import check{see}
"""
_FURTHER = "# Extension exercises\n\nThese are reported, and do not count in the score."


@dataclass(frozen=True)
class _Stub:
    """The code of a stub in two parts: imports, a line each, and everything else as it is written."""

    imports: tuple[str, ...]
    body: str


def notebook_path(assignment: Assignment) -> Path:
    name = re.sub(r"[^\w-]+", "_", assignment.id)
    return assignment.root / "exercises" / f"{name}.ipynb"


def text_path(assignment: Assignment, stem: str) -> Path:
    """The text that stands above the exercise in the notebook; it may be absent."""
    return assignment.root / TEXTS / f"{stem}.md"


def picture_path(assignment: Assignment, stem: str) -> Path:
    """What `see` draws; it may be absent."""
    return assignment.root / "tests" / "public" / "see" / f"{stem}.py"


def is_in_step(assignment: Assignment) -> bool:
    """Is the notebook on disk what the stubs and texts give? True where there is none."""
    path = notebook_path(assignment)
    return not path.is_file() or path.read_bytes() == make_notebook(assignment).encode()


def make_notebook(assignment: Assignment) -> str:
    """The notebook's JSON (nbformat 4.5), without outputs.

    Raises:
        AssignmentError: a stub or a text cannot be read, or a stub imports another in a way that has no
            meaning in a notebook.
    """
    import nbformat  # takes a while to import

    stubs = {spec.stem: _read_stub(assignment, spec.stem) for spec in assignment.exercises}
    notebook = nbformat.v4.new_notebook(  # type: ignore[no-untyped-call]
        cells=list(_cells(assignment, stubs)),
        metadata={
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
    )
    notebook.nbformat_minor = 5
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook, version=nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]
    return text.rstrip("\n") + "\n"


def _cells(assignment: Assignment, stubs: dict[str, _Stub]) -> Iterator[Any]:
    imports = dict.fromkeys(line for stub in stubs.values() for line in stub.imports)
    draws = any(picture_path(assignment, stem).is_file() for stem in stubs)
    yield _text_cell("start", _START.format(title=assignment.title))
    set_up = [*_sorted_imports(imports), "", _SET_UP.format(see=", see" if draws else "")]
    yield _code_cell("set-up", "\n".join(set_up))
    was_core = True
    for number, spec in enumerate(assignment.exercises, 1):
        if was_core and spec.track != "core":
            yield _text_cell("further", _FURTHER)
        was_core = spec.track == "core"
        yield from _exercise_cells(assignment, number, spec, stubs[spec.stem])


def _exercise_cells(assignment: Assignment, number: int, spec: ExerciseSpec, stub: _Stub) -> Iterator[Any]:
    name = f"{number}-{re.sub(r'[^a-zA-Z0-9_-]', '-', spec.stem)[:MAX_ID]}"
    symbols = ", ".join(spec.symbols)
    yield _text_cell(f"{name}-text", _exercise_text(assignment, number, spec))
    yield _code_cell(f"{name}-stub", stub.body)
    yield _code_cell(f"{name}-check", f"check({symbols})")
    if picture_path(assignment, spec.stem).is_file():
        yield _code_cell(f"{name}-see", f"see({symbols})")


def _exercise_text(assignment: Assignment, number: int, spec: ExerciseSpec) -> str:
    facts = [f"{spec.points:g} points"] if spec.track == "core" else []
    facts += [f"builds on {', '.join(f'`{stem}`' for stem in spec.uses)}"] if spec.uses else []
    parts = [f"## {number}. {spec.title}", f"*{'; '.join(facts)}*" if facts else ""]
    path = text_path(assignment, spec.stem)
    if path.is_file():
        parts.append(_read(path))
    return "\n\n".join(part.strip() for part in parts if part)


def _text_cell(name: str, text: str) -> Any:
    from nbformat.v4 import new_markdown_cell

    return new_markdown_cell(text.strip("\n"), id=name)  # type: ignore[no-untyped-call]


def _code_cell(name: str, text: str) -> Any:
    from nbformat.v4 import new_code_cell

    return new_code_cell(text.strip("\n"), id=name)  # type: ignore[no-untyped-call]


def _read_stub(assignment: Assignment, stem: str) -> _Stub:
    path = assignment.stub(stem)
    text = _read(path)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as err:
        raise AssignmentError(f"`{path}` is not valid Python: {err}.") from err
    lines = text.split("\n")
    imports: list[str] = []
    for place, node in enumerate(tree.body):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports += _kept_imports(node, assignment, path)
        elif place or not _is_docstring(node):
            continue
        lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    return _Stub(tuple(imports), "\n".join(lines).strip())


def _kept_imports(node: ast.Import | ast.ImportFrom, assignment: Assignment, path: Path) -> Iterator[str]:
    """The import as a line for the first cell; none for another exercise, whose names are defined already."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name in assignment.stems:
                raise _no_module(path, node.lineno, alias.name)
            yield ast.unparse(ast.Import([alias]))
    elif node.module in assignment.stems:
        if any(alias.asname or alias.name == "*" for alias in node.names):
            raise _no_module(path, node.lineno, node.module)
    elif node.module != "__future__":
        yield ast.unparse(node)


def _no_module(path: Path, line: int, stem: str) -> AssignmentError:
    return AssignmentError(
        f"`{path}`, line {line}, imports the exercise `{stem}` in a way that a notebook cannot follow: there "
        "is no such module there, only the names that it defines.",
        hint=f"Write `from {stem} import name`, without `as`.",
    )


def _sorted_imports(lines: dict[str, None]) -> list[str]:
    return sorted(lines, key=lambda line: (line.startswith("from"), line))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as err:
        raise AssignmentError(f"`{path}` cannot be read: {err}.") from err
