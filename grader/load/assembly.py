"""The load step itself: files in, one frozen `Submission` out."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grader.catalog import Assignment, ExerciseSpec
from grader.errors import SubmissionError
from grader.load.explain import (
    explain_broken,
    explain_foreign,
    explain_hidden,
    explain_missing,
    explain_unfinished,
    explain_unreadable,
    say_nothing,
)
from grader.load.facts import leaves
from grader.load.files import collect_files
from grader.load.imports import without_hiding_imports
from grader.load.names import COPY, ENDS_WITH, FOLDER, bare_name, best_tier, module_name, printable
from grader.load.notebook import parse_notebook
from grader.load.offered import collect_offered
from grader.load.parsed import ParsedFile, make_source
from grader.load.raw import MAX_TOTAL_SOURCE_BYTES, Collected, Member, RawFile
from grader.load.rivals import ask_whose, remarks
from grader.load.script import parse_script
from grader.load.static_notes import staff_notes
from grader.load.stub import read_stubs
from grader.load.symbols import Candidate, SymbolFinder, choose, unreadable_expected
from grader.load.text import BIDIRECTIONAL
from grader.records import ExerciseSource, Note, Problem, SourceText, Submission, SubmittedFile

MAX_NAMED_OTHERS = 5
MAX_NAMED_EMPTY = 3


def load_submission(path: Path, assignment: Assignment, *, submission_id: str | None = None) -> Submission:
    """Everything that can be known of a submission without running a line of it.

    A file that cannot be read, an exercise that was not written or is not there become a `Problem` of that
    exercise, while the others are graded.

    Raises:
        SubmissionError: nothing at all can be read: no such path, a refused archive, no file with code.
    """
    collected = collect_files(path, assignment.stems)
    name = submission_id if submission_id is not None else _default_id(path)
    # A student's own folder, seen from their handout, is nobody else's.
    return _assemble(collected, assignment, name, path, may_be_class=assignment.has_staff_parts)


def load_files(
    files: Sequence[Member], assignment: Assignment, *, submission_id: str, root: str = ""
) -> Submission:
    """As `load_submission`, for files that lie in no folder of their own: nothing is written to disk.

    Their names are paths inside the submission. An archive among them is opened as in a folder.

    Raises:
        SubmissionError: nothing at all can be read.
    """
    collected = collect_offered(files, submission_id, assignment.stems)
    return _assemble(collected, assignment, submission_id, Path(root or submission_id))


def _assemble(
    collected: Collected,
    assignment: Assignment,
    submission_id: str,
    path: Path,
    *,
    may_be_class: bool = False,
) -> Submission:
    files, notes = _parse_all(collected, assignment.stems)
    if not files:
        raise _no_code(path, collected)
    stubs = read_stubs(assignment)
    symbols = frozenset(symbol for spec in assignment.exercises for symbol in spec.symbols)
    files = without_hiding_imports(SymbolFinder(files, stubs), symbols, assignment.stems)
    finder = SymbolFinder(files, stubs)
    seen = {spec: finder.candidates(spec) for spec in assignment.exercises}
    picked = _fit_hints({spec.stem: _pick(spec, seen[spec], finder, symbols, notes) for spec in seen})
    answers = [answer for answer in picked.values() if isinstance(answer, Problem)]
    _require_code(files, answers)
    asked = ask_whose(seen.values()) if may_be_class else []
    sources, modules = _make_sources(files, assignment, picked)
    exercises = {
        stem: ExerciseSource(stem, problem=answer)
        if isinstance(answer, Problem)
        else ExerciseSource(stem, source=sources[id(answer.parsed)])
        for stem, answer in picked.items()
    }
    return Submission(
        id=submission_id,
        root=printable(str(path), 1000),
        files=_hash_files(collected.files),
        exercises=exercises,
        modules=modules,
        notes=(*asked, *collected.notes, *notes),
    )


def _require_code(files: Sequence[ParsedFile], answers: Sequence[Problem]) -> None:
    """What is graded is at least one file that can be read and holds something.

    Raises:
        SubmissionError: there is none.
    """
    outcomes = {answer.outcome for answer in answers}
    if all(parsed.problem for parsed in files) and outcomes <= {"missing"}:
        reasons = " ".join(parsed.problem.message for parsed in files[:3] if parsed.problem)
        raise SubmissionError(f"No file of the submission can be read. {reasons}")
    if all(parsed.holds_nothing for parsed in files) and outcomes == {"not_attempted"}:
        raise SubmissionError(" ".join(say_nothing(parsed) for parsed in files[:MAX_NAMED_EMPTY]))


def _default_id(path: Path) -> str:
    named = path if path.name else path.resolve()
    return printable(bare_name(named.name) if named.is_file() else named.name) or "submission"


def _hash_files(files: Sequence[RawFile]) -> tuple[SubmittedFile, ...]:
    return tuple(
        SubmittedFile(raw.path, hashlib.sha256(raw.content).hexdigest())
        for raw in sorted(files, key=lambda raw: raw.path)
        if raw.content or not raw.refusal
    )


def _parse_all(collected: Collected, stems: Sequence[str]) -> tuple[list[ParsedFile], list[Note]]:
    """Parse every script and notebook, the expected ones first, within the bound on all source text."""
    notes: list[Note] = []
    parsed: list[ParsedFile] = []
    total_bytes = 0
    ordered = sorted(collected.files, key=lambda raw: (best_tier(raw.path, stems), raw.depth, raw.path))
    for raw in ordered:
        if raw.kind == "archive":
            if raw.refusal:
                notes.append(Note(raw.refusal.message, path=raw.path))
            continue
        if total_bytes > MAX_TOTAL_SOURCE_BYTES:
            notes.append(
                Note(f"`{raw.path}` was not read: the submission holds too much code.", path=raw.path)
            )
            break
        one = _parse(raw)
        total_bytes += len(one.text)
        parsed.append(one)
        if one.problem and best_tier(raw.path, stems) > ENDS_WITH:
            notes.append(Note(one.problem.message, path=raw.path))
        if one.holds_nothing and best_tier(raw.path, stems) > ENDS_WITH and bare_name(raw.path) != "__init__":
            notes.append(Note(say_nothing(one), path=raw.path))
        if BIDIRECTIONAL.search(one.text):
            said = f"`{raw.path}` holds bidirectional marks: code may be shown in another order than it runs."
            notes.append(Note(said, path=raw.path, audience="staff"))
        notes += staff_notes(one)
    return parsed, notes


def _parse(raw: RawFile) -> ParsedFile:
    if raw.kind == "notebook" or (raw.content[:1] == b"{" and b'"cells"' in raw.content[:4096]):
        return parse_notebook(RawFile(raw.path, "notebook", raw.content, raw.refusal))
    return parse_script(raw)


def _no_code(path: Path, collected: Collected) -> SubmissionError:
    refused = [raw.refusal.message for raw in collected.files if raw.refusal]
    if refused:
        return SubmissionError(" ".join(refused[:3]))
    others = sorted(collected.others)
    found = ", ".join(f"`{name}`" for name in others[:MAX_NAMED_OTHERS])
    saw = (
        f"found only {found}{' and more' if len(others) > MAX_NAMED_OTHERS else ''}"
        if others
        else "it is empty"
    )
    return SubmissionError(
        f"`{printable(path.name or str(path))}` holds no Python file and no notebook: {saw}.",
        hint="Submit the .py files or the .ipynb notebook with your answers.",
    )


def _pick(
    spec: ExerciseSpec,
    candidates: Sequence[Candidate],
    finder: SymbolFinder,
    symbols: frozenset[str],
    notes: list[Note],
) -> Candidate | Problem:
    """The file that answers the exercise, or why none does. `symbols` are those of all exercises."""
    chosen = choose(candidates)
    # A broken file of the exercise's own name outweighs a copy elsewhere; one of a similar name does not.
    broken = unreadable_expected(candidates, FOLDER if chosen is None else COPY)
    if broken is not None and (chosen is None or not chosen.is_expected):
        return explain_unreadable(broken, candidates)
    if chosen is not None:
        notes += remarks(chosen, candidates)
        return chosen
    for one in candidates:
        if one.has("foreign"):
            return explain_foreign(one)
    unread = explain_broken(spec, finder.files)
    if unread is not None:
        return unread
    unfinished = [one for one in candidates if one.has("stub")]
    if unfinished:
        # A notebook that is worked in comes before the files; one that is as it was handed out, after them.
        unfinished.sort(key=lambda one: not (one.parsed.is_notebook and finder.is_begun(one.parsed, symbols)))
        return explain_unfinished(unfinished[0], candidates, symbols)
    hidden = explain_hidden(spec, finder.files)
    if hidden is not None:
        return hidden
    empty = [one for one in candidates if one.parsed.is_empty]
    expected = [one for one in empty if one.tier <= ENDS_WITH]
    if expected or len(empty) == len(candidates):
        place = (expected or empty)[0].parsed
        if place.holds_nothing:
            return Problem("not_attempted", say_nothing(place))
        return Problem(
            "not_attempted", f"`{place.path}` defines nothing; expected `{spec.symbols[0]}` in it."
        )
    return explain_missing(spec, finder.files)


def _fit_hints(picked: dict[str, Candidate | Problem]) -> dict[str, Candidate | Problem]:
    """Whoever works in files has no notebook to save."""
    begun = [answer for answer in picked.values() if isinstance(answer, Candidate)]
    if not begun or any(one.parsed.is_notebook for one in begun):
        return picked
    return {
        stem: replace(answer, hint="")
        if isinstance(answer, Problem) and answer.outcome == "not_attempted"
        else answer
        for stem, answer in picked.items()
    }


def _make_sources(
    files: Sequence[ParsedFile], assignment: Assignment, picked: Mapping[str, Candidate | Problem]
) -> tuple[dict[int, SourceText], dict[str, SourceText]]:
    """A text per readable file, by the file's identity and by module name.

    A stem whose answer lies in another file leads to that file, so that `from warm_up import ...` in
    a sibling finds what is graded.
    """
    symbols = frozenset(symbol for spec in assignment.exercises for symbol in spec.symbols)
    imported = _imported_names(files)
    sources: dict[int, SourceText] = {}
    modules: dict[str, SourceText] = {}
    for parsed in files:
        if parsed.problem is not None:
            continue
        name = module_name(parsed.path, frozenset(modules))
        defined = [symbol for symbol in parsed.bindings if symbol in symbols]
        roots = [*defined, *(one for one in parsed.bindings if one in imported)]
        source = make_source(parsed, name, roots or list(parsed.bindings))
        sources[id(parsed)] = modules[name] = source
    for stem, answer in picked.items():
        if isinstance(answer, Candidate):
            modules[stem] = sources[id(answer.parsed)]
    return sources, modules


def _imported_names(files: Sequence[ParsedFile]) -> frozenset[str]:
    """All names that some file imports from some module."""
    return frozenset(
        alias.name
        for parsed in files
        for item in leaves(parsed.facts)
        if isinstance(item.node, ast.ImportFrom)
        for alias in item.node.names
    )
