"""Statements of references that stand, in code or in words, in a file that students receive."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from grader.authoring.notebook import picture_path, text_path
from grader.catalog import Assignment
from grader.verify.files import relative
from grader.verify.schema import ProofProblem

# Shorter statements, such as `return x + 1`, say nothing by themselves.
MIN_TELLING_CHARACTERS = 20
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def leaks(assignment: Assignment, stem: str) -> Iterator[ProofProblem]:
    """Statements of an exercise's reference in its stub, public suite, picture or text for the notebook."""
    telling = telling_statements(assignment, stem)
    for path in (
        assignment.stub(stem),
        assignment.suite(stem, "public"),
        picture_path(assignment, stem),
        text_path(assignment, stem),
    ):
        text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        for statement in found_in(text, telling):
            yield ProofProblem(
                path=relative(path, assignment),
                line=_line_of(squeeze(statement), text),
                exercise=stem,
                message=f"This file, which students receive, holds a line of the reference: `{statement}`.",
                advice="Take it out, or write it in another way.",
            )


def leaked_from_any(assignment: Assignment, files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, str]]:
    """(name, statement) for statements of references in these files.

    A file that is named like an exercise is held against that exercise's reference, since two exercises may
    share an innocent line; any other, say a forgotten copy, against all of them.
    """
    stubs = "".join(_text_of(path.name, path.read_bytes()) for path in _stubs(assignment))
    own = {stem: telling_statements(assignment, stem) for stem in assignment.stems}
    known = squeeze(stubs)  # the notebook holds the stubs
    every = {key: text for telling in own.values() for key, text in telling.items() if key not in known}
    for name, content in files:
        stem = PurePosixPath(name).stem.removeprefix("test_")
        is_script = name.endswith(".py")
        telling = own[stem] if is_script and stem in own else every
        yield from ((name, statement) for statement in found_in(_text_of(name, content), telling))


def telling_statements(assignment: Assignment, stem: str) -> Mapping[str, str]:
    """The reference's statements that say something by themselves, by their squeezed text."""
    tree = parse_file(assignment.reference(stem))
    if not isinstance(tree, ast.Module):
        return {}
    return {squeeze(text): text for text in _telling(tree)}


def found_in(text: str, telling: Mapping[str, str]) -> Iterator[str]:
    squeezed = squeeze(text)
    yield from (statement for key, statement in telling.items() if key in squeezed)


def squeeze(text: str) -> str:
    """The text without white space and without a difference between quotes."""
    return "".join(text.split()).replace('"', "'")


def parse_file(path: Path) -> ast.Module | SyntaxError | None:
    """The file's tree, or why there is none; None where there is no file."""
    if not path.is_file():
        return None
    try:
        return ast.parse(path.read_bytes())
    except SyntaxError as err:
        return err
    except ValueError as err:
        return SyntaxError(str(err))


def _stubs(assignment: Assignment) -> Iterator[Path]:
    yield from (path for stem in assignment.stems if (path := assignment.stub(stem)).is_file())


def _text_of(name: str, content: bytes) -> str:
    """What a reader of the file sees; of a notebook, its cells."""
    text = content.decode("utf-8", "replace")
    if not name.endswith(".ipynb"):
        return text
    try:
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    except (ValueError, TypeError, KeyError, AttributeError):
        return text


def _telling(tree: ast.Module) -> Iterator[str]:
    simple = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
    for function in ast.walk(tree):
        if not isinstance(function, _FUNCTIONS):
            continue
        for node in ast.walk(function):
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if isinstance(node, simple) and not is_text:
                text = ast.unparse(node)
                if len(squeeze(text)) >= MIN_TELLING_CHARACTERS and "super()" not in text:
                    yield text


def _line_of(key: str, text: str) -> int:
    """The line of `text` in which the squeezed statement begins."""
    begins = squeeze(text).index(key)
    seen = 0
    for number, line in enumerate(text.split("\n"), 1):
        seen += len(squeeze(line))
        if seen > begins:
            return number
    return 1
