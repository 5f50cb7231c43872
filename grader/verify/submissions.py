"""The submissions that prove an assignment beside its labelled cases: stubs, references, null answers.

They are put together here and not loaded from disk: the loader would say of a stub that holds an answer that
it was not attempted, since it is what was handed out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.catalog import Assignment, ExerciseSpec
from grader.load.text import decode_source
from grader.records import ExerciseSource, Problem, SourceText, Submission

NULL_KINDS = ("zeros", "input_unchanged", "mean_of_values", "uniform_weights")
_NULL_CODE = Path(__file__).parent / "null_code.py"
_RIGHT = "right_{}"


@dataclass(frozen=True)
class Staged:
    """A submission for one exercise under the name by which a report calls it."""

    name: str
    stem: str
    submission: Submission


def read_source(path: Path, root: Path, *, module: str = "") -> SourceText:
    """Raises Unreadable or OSError where `path` is no readable text."""
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return SourceText(module or path.stem, name, decode_source(path.read_bytes(), name))


def stage(
    name: str, stem: str, source: SourceText, modules: Mapping[str, SourceText], assignment: Assignment
) -> Staged:
    """`source` as the answer to the exercise `stem`, with `modules` to import from."""
    absent = Problem("missing", "It is not part of this proof.")
    exercises = {other: ExerciseSource(other, problem=absent) for other in assignment.stems}
    exercises |= {
        other: ExerciseSource(other, source=modules[other]) for other in exercises if other in modules
    }
    exercises[stem] = ExerciseSource(stem, source=source)
    known = {**modules, source.module: source}
    return Staged(name, stem, Submission(id=name, root=name, files=(), exercises=exercises, modules=known))


def null_answers(
    spec: ExerciseSpec, references: Mapping[str, SourceText], assignment: Assignment
) -> list[Staged]:
    """What knows nothing about the exercise `spec`: null values in the right form, and answers to others."""
    texts = [*_null_values(spec), *_other_references(spec, references, assignment)]
    right, code = _RIGHT.format(spec.stem), _NULL_CODE.stem
    modules = {
        **{stem: source for stem, source in references.items() if stem != spec.stem},
        right: SourceText(right, f"{right}.py", references[spec.stem].text),
        code: SourceText(code, _NULL_CODE.name, _NULL_CODE.read_text("utf-8")),
    }
    sources = (
        (name, SourceText(spec.stem, f"{spec.stem}.py", "\n".join(lines) + "\n")) for name, lines in texts
    )
    return [stage(name, spec.stem, source, modules, assignment) for name, source in sources]


def _null_values(spec: ExerciseSpec) -> Iterator[tuple[str, list[str]]]:
    right = _RIGHT.format(spec.stem)
    for kind in NULL_KINDS:
        lines = [f"import {right}", f"from {_NULL_CODE.stem} import make"]
        lines += [f"{symbol} = make({right}.{symbol}, {kind!r})" for symbol in spec.symbols]
        yield kind.replace("_", " "), lines


def _other_references(
    spec: ExerciseSpec, references: Mapping[str, SourceText], assignment: Assignment
) -> Iterator[tuple[str, list[str]]]:
    """Answers to the other exercises of the same track: all with all would be most of the work of a proof."""
    for other in assignment.exercises:
        if other.stem == spec.stem or other.stem not in references or other.track != spec.track:
            continue
        # The other's symbols in turn, where they are fewer than ours.
        pairs = [(own, other.symbols[i % len(other.symbols)]) for i, own in enumerate(spec.symbols)]
        lines = [f"import {other.stem}", *(f"{own} = {other.stem}.{theirs}" for own, theirs in pairs)]
        yield f"the reference of `{other.stem}`", lines
