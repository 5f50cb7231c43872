"""Finds, for each exercise, the file that answers it, or says why there is none."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from grader.catalog import ExerciseSpec
from grader.load.facts import Facts, leaves
from grader.load.framework import foreign_framework
from grader.load.names import ENDS_WITH, FOLDER, bare_name, match_tier
from grader.load.parsed import ParsedFile
from grader.load.scope import FUNCTIONS
from grader.load.stub import Stubs, is_untouched, is_unwritten

State = Literal["written", "stub", "foreign", "imported", "deleted", "absent"]
MAX_IMPORT_HOPS = 5


@dataclass(frozen=True)
class Candidate:
    """One file seen from one exercise: how well its name fits, and the state of each of its symbols."""

    parsed: ParsedFile
    spec: ExerciseSpec
    tier: int
    states: tuple[State, ...]

    @property
    def is_expected(self) -> bool:
        return self.tier <= FOLDER

    @property
    def written(self) -> int:
        return self.states.count("written")

    @property
    def order(self) -> tuple[int, int, bool, int, str]:
        """Best first: most symbols written, best name, scripts before notebooks, then by place."""
        raw = self.parsed.raw
        return (-self.written, self.tier, self.parsed.is_notebook, raw.depth, raw.path)

    def has(self, state: State) -> bool:
        return state in self.states

    def definition(self, symbol: str) -> Facts | None:
        found = self.parsed.bindings.get(symbol)
        return found[-1] if found else None


class SymbolFinder:
    """All files of a submission, asked for one exercise at a time."""

    def __init__(self, files: Sequence[ParsedFile], stubs: Stubs) -> None:
        self.files = tuple(files)
        self._stubs = stubs

    def candidates(self, spec: ExerciseSpec) -> list[Candidate]:
        """Every file as a candidate for the exercise, best first."""
        found = [
            Candidate(
                parsed,
                spec,
                match_tier(parsed.path, spec.stem),
                tuple(self._state(parsed, symbol, MAX_IMPORT_HOPS) for symbol in spec.symbols),
            )
            for parsed in self.files
        ]
        return sorted(found, key=lambda candidate: candidate.order)

    def knows(self, module: str) -> bool:
        """Is the module, under whatever package, a file of the submission?"""
        return module.split(".")[-1] in self._by_name

    def is_resolved(self, node: ast.ImportFrom, symbol: str) -> bool:
        """Does the import lead to a written definition in the submission?"""
        return self._state_of_import(node, symbol, MAX_IMPORT_HOPS) == "written"

    def is_answer(self, parsed: ParsedFile, item: Facts, symbol: str) -> bool:
        """Is `symbol` as this statement binds it more than a stub?"""
        return self._state_of(parsed, item, symbol, MAX_IMPORT_HOPS) in ("written", "foreign")

    def is_begun(self, parsed: ParsedFile, symbols: Collection[str]) -> bool:
        """Does the file itself write any of the symbols?"""
        return any(
            self.is_answer(parsed, parsed.bindings[symbol][-1], symbol)
            for symbol in symbols
            if symbol in parsed.bindings and parsed.bindings[symbol][-1].how != "import"
        )

    @cached_property
    def _by_name(self) -> dict[str, ParsedFile]:
        ordered = sorted(self.files, key=lambda parsed: (-parsed.raw.depth, parsed.path), reverse=True)
        return {bare_name(parsed.path): parsed for parsed in ordered if parsed.problem is None}

    def _state(self, parsed: ParsedFile, symbol: str, hops: int) -> State:
        bound = parsed.bindings.get(symbol)
        if not bound:
            return "absent"
        return self._state_of(parsed, bound[-1], symbol, hops)

    def _state_of(self, parsed: ParsedFile, last: Facts, symbol: str, hops: int) -> State:
        if last.how == "deletion":
            return "deleted"
        if last.how == "import":
            return self._state_of_import(last.node, symbol, hops)
        if isinstance(last.node, (*FUNCTIONS, ast.ClassDef)):
            if foreign_framework(parsed, last):
                return "foreign"
            unfinished = is_unwritten(last.node) or is_untouched(last.node, self._stubs)
            return "stub" if unfinished and symbol not in parsed.patched else "written"
        value = getattr(last.node, "value", None)
        return "stub" if isinstance(value, ast.Constant) and value.value is None else "written"

    def _state_of_import(self, node: ast.stmt, symbol: str, hops: int) -> State:
        """An import counts as a definition where a sibling file of the submission has one."""
        if not isinstance(node, ast.ImportFrom) or not hops:
            return "imported"
        sibling = self._by_name.get((node.module or "").split(".")[-1])
        if sibling is None:
            return "imported"
        original = next(
            (alias.name for alias in node.names if (alias.asname or alias.name) == symbol), symbol
        )
        state = self._state(sibling, original, hops - 1)
        return state if state in ("written", "stub", "foreign") else "imported"


def defines_itself(candidate: Candidate) -> bool:
    """Is some symbol defined here, rather than imported from the file that does?"""
    definitions = (candidate.definition(symbol) for symbol in candidate.spec.symbols)
    return any(found is not None and found.how not in ("import", "deletion") for found in definitions)


def choose(candidates: Sequence[Candidate]) -> Candidate | None:
    """The file to grade: the best that writes the exercise, else an expected one that may bind it oddly."""
    written = [one for one in candidates if one.written and (one.is_expected or defines_itself(one))]
    # Half written in the exercise's own file and wholly elsewhere, say in the notebook: the whole one counts.
    is_whole = any(one.written == len(one.states) for one in written)
    expected = [one for one in written if one.is_expected and not (is_whole and one.has("stub"))]
    # A submission that is one file may be called anything, but then it must name the symbol somewhere.
    alone = len(candidates) == 1
    odd = [
        one
        for one in candidates
        if one.has("absent") and (one.tier <= ENDS_WITH or alone) and binds_dynamically(one)
    ]
    by_name = [one for one in odd if names_symbol(one)]
    ordered = [
        *expected,
        *(one for one in by_name if one.is_expected or alone),
        *written,
        *(one for one in odd if one.tier <= ENDS_WITH or names_symbol(one)),
    ]
    return next(iter(ordered), None)


def names_symbol(candidate: Candidate) -> bool:
    """Does one of the exercise's symbols occur in the file as a string?"""
    wanted = set(candidate.spec.symbols)
    return any(
        isinstance(part, ast.Constant) and part.value in wanted
        for item in leaves(candidate.parsed.facts)
        for part in ast.walk(item.node)
        if isinstance(getattr(part, "value", None), str)
    )


def binds_dynamically(candidate: Candidate) -> bool:
    """Might running the file bind a symbol that no plain statement binds?"""
    wanted = set(candidate.spec.symbols)
    dynamic = {"exec", "eval", "globals", "vars", "locals", "setattr", "__import__", "compile"}
    if "*" in candidate.parsed.bindings or "__getattr__" in candidate.parsed.bindings:
        return True
    for item in leaves(candidate.parsed.facts):
        nested = isinstance(item.node, (*FUNCTIONS, ast.ClassDef))
        for part in ast.walk(item.node):
            if isinstance(part, ast.Name) and part.id in dynamic:
                return True
            if (
                isinstance(part, ast.Name)
                and part.id in wanted
                and isinstance(part.ctx, ast.Store)
                and not nested
            ):
                return True
            if isinstance(part, ast.Global) and wanted & set(part.names):
                return True
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value in wanted:
                return True
            if isinstance(part, ast.Attribute) and part.attr in ("__dict__", "modules"):
                return True
    return False


def unreadable_expected(candidates: Sequence[Candidate], worst_tier: int) -> Candidate | None:
    """The file that fits an exercise best among those that cannot be read, down to `worst_tier`."""
    broken = [one for one in candidates if one.parsed.problem is not None and one.tier <= worst_tier]
    return min(broken, key=lambda one: one.order) if broken else None
