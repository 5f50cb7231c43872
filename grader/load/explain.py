"""Says why an exercise has no answer to run: what was seen, what is expected, where, and one hint."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grader.catalog import ExerciseSpec
from grader.load.facts import Facts
from grader.load.framework import foreign_framework
from grader.load.names import ENDS_WITH, bare_name, match_tier, printable
from grader.load.parsed import ParsedFile, defines_in_text
from grader.load.scope import FUNCTIONS
from grader.load.symbols import Candidate
from grader.records import Problem

MAX_NAMED_FILES = 3
MAX_NAMED_CELLS = 5


def explain_unreadable(candidate: Candidate, others: Sequence[Candidate]) -> Problem:
    """The expected file cannot be read; another that defines the symbol is named, not graded."""
    problem = candidate.parsed.problem
    assert problem is not None, "only called for a file with a problem"
    elsewhere = next((one.parsed.path for one in others if one.written), "")
    hint = problem.hint
    if elsewhere:
        hint += f" `{elsewhere}` also defines {_names(candidate.spec)}, but the exercise's own file counts."
    return Problem("raised", problem.message, hint.strip())


def explain_unfinished(candidate: Candidate, others: Sequence[Candidate], symbols: frozenset[str]) -> Problem:
    """The stub as handed out, or a body that does nothing: a name may be misspelt, a notebook not saved.

    `symbols` are the names of all exercises: none of them is a misspelling.
    """
    symbol = candidate.spec.symbols[candidate.states.index("stub")]
    found = candidate.definition(symbol)
    where = candidate.parsed.where(found.node.lineno) if found else f"`{candidate.parsed.path}`"
    near = _nearest(symbol, [one.parsed for one in others], symbols)
    if near:
        message = f"`{symbol}` is still the stub, in {where}."
        if near.parsed is not candidate.parsed:
            message = f"`{symbol}` is not defined in `{near.parsed.path}`; in {where} it is still the stub."
        return Problem("missing", message, _ask(near, symbol))
    how = " (in Jupyter: File > Save)" if candidate.parsed.is_notebook else ""
    return Problem(
        "not_attempted",
        f"`{symbol}` in {where} is not written yet: it is the stub, or its body does nothing.",
        f"If you have written it: save `{candidate.parsed.path}` first{how}; only what is saved counts.",
    )


def explain_foreign(candidate: Candidate) -> Problem:
    """The answer is written for another framework."""
    symbol = candidate.spec.symbols[candidate.states.index("foreign")]
    found = candidate.definition(symbol)
    framework = (foreign_framework(candidate.parsed, found) if found else "") or "another framework"
    where = candidate.parsed.where(found.node.lineno) if found else f"`{candidate.parsed.path}`"
    return Problem(
        "raised",
        f"`{symbol}` in {where} is written for {framework}; expected PyTorch.",
        "Write it with `torch`.",
    )


def explain_broken(spec: ExerciseSpec, files: Sequence[ParsedFile]) -> Problem | None:
    """A file or a cell that cannot be read looks as if it held the answer."""
    for symbol in spec.symbols:
        for parsed in files:
            if parsed.problem is not None and parsed.mentions_definition(symbol):
                message = f"{parsed.problem.message.rstrip('.')}; it seems to define `{symbol}`."
                return Problem("raised", message, parsed.problem.hint)
            for fragment in parsed.fragments:
                if fragment.kind == "broken" and defines_in_text(fragment.text, symbol):
                    return Problem(
                        "raised",
                        f"{fragment.where} {fragment.what}; no other cell seems to define `{symbol}`.",
                        fragment.hint,
                    )
    return None


def explain_hidden(spec: ExerciseSpec, files: Sequence[ParsedFile]) -> Problem | None:
    """The answer is there, but where it does not count: nested, in prose, commented out, deleted."""
    symbol = _missing_symbol(spec, files)
    readable = [parsed for parsed in files if parsed.problem is None]
    modules = frozenset(bare_name(parsed.path) for parsed in files)
    reason = next((found for parsed in readable for found in _reasons(symbol, parsed, modules)), "")
    if not reason:
        is_wanted = any(_imports_sibling(symbol, parsed, modules) for parsed in readable)
        return explain_missing(spec, files) if is_wanted and not _is_left_empty(spec, readable) else None
    message = f"`{symbol}` is not defined for grading: {reason}."
    return Problem("missing", message + _broken_cells(files), _AT_TOP_LEVEL.format(symbol))


def explain_missing(spec: ExerciseSpec, files: Sequence[ParsedFile]) -> Problem:
    """The symbol is nowhere; the hint names the one most like it. An extension may be left out."""
    symbol = _missing_symbol(spec, files)
    readable = [parsed for parsed in files if parsed.problem is None]
    begun = any(_is_bound(name, files) or _near_name(name, readable) for name in spec.symbols)
    if spec.track == "extension" and readable and not begun:
        return Problem("not_attempted", "This extension is not part of the submission.")
    shown = ", ".join(f"`{parsed.path}`" for parsed in readable[:MAX_NAMED_FILES])
    more = len(readable) - MAX_NAMED_FILES
    places = f"{shown} and {more} more" if more > 0 else shown
    message = f"`{symbol}` is not defined in {places or 'any file that can be read'}."
    message += _broken_cells(files)
    return Problem("missing", message, _near_name(symbol, readable) or _AT_TOP_LEVEL.format(symbol))


def say_nothing(parsed: ParsedFile) -> str:
    """What is said of a file without a single statement."""
    how = " (In Jupyter: File > Save.)" if parsed.is_notebook else ""
    return f"`{parsed.path}` holds no code. Was it saved before you handed it in?{how}"


_AT_TOP_LEVEL = "Define `{}` at the top level of a file or of a code cell, under exactly this name."


def _missing_symbol(spec: ExerciseSpec, files: Sequence[ParsedFile]) -> str:
    return next((name for name in spec.symbols if not _is_bound(name, files)), spec.symbols[0])


def _is_bound(symbol: str, files: Sequence[ParsedFile]) -> bool:
    return any(
        symbol in parsed.bindings and _how(parsed, symbol) not in ("import", "deletion") for parsed in files
    )


def _how(parsed: ParsedFile, symbol: str) -> str:
    return parsed.bindings[symbol][-1].how


def _reasons(symbol: str, parsed: ParsedFile, modules: frozenset[str]) -> Iterator[str]:
    bound = parsed.bindings.get(symbol)
    if bound:
        where = parsed.where(bound[-1].node.lineno)
        if bound[-1].how == "deletion":
            yield f"{where} deletes it with `del`"
        elif isinstance(bound[-1].node, ast.ImportFrom) and not _imports_sibling(symbol, parsed, modules):
            module = printable("." * bound[-1].node.level + (bound[-1].node.module or ""), 40)
            yield f"{where} only imports it from `{module}`, which is not part of the submission"
    yield from _nested(symbol, parsed)
    for fragment in parsed.fragments:
        if fragment.kind != "broken" and defines_in_text(fragment.text, symbol):
            yield f"it is written in {fragment.where}, which is {fragment.what} and is not run as code"
    if defines_in_text(parsed.text, symbol):
        yield f"in `{parsed.path}` it stands only in a comment, in a string or in a part that does not run"


def _is_left_empty(spec: ExerciseSpec, files: Sequence[ParsedFile]) -> bool:
    """Is a file of the exercise's own name there, with nothing in it? That says more than a missing name."""
    return any(
        parsed.is_empty
        and match_tier(parsed.path, spec.stem) <= ENDS_WITH
        and not parsed.bindings.keys() & {*spec.symbols}
        for parsed in files
    )


def _imports_sibling(symbol: str, parsed: ParsedFile, modules: frozenset[str]) -> bool:
    """Is it imported from a file of the submission? Then the name is missing there, whoever imports it."""
    node = parsed.bindings[symbol][-1].node if symbol in parsed.bindings else None
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] in modules


def _broken_cells(files: Sequence[ParsedFile]) -> str:
    """A sentence on the first notebook with cells that do not parse: what is missing may be in one."""
    for parsed in files:
        numbers = [one.where.rpartition(" ")[2] for one in parsed.fragments if one.kind == "broken"]
        if not numbers:
            continue
        more = len(numbers) - MAX_NAMED_CELLS
        names = [*numbers[:MAX_NAMED_CELLS], f"{more} more"] if more > 0 else numbers
        cells, them = (f"Cells {', '.join(names[:-1])} and", "them") if len(names) > 1 else ("Cell", "it")
        where = f"{cells} {names[-1]} of `{parsed.path}`"
        return f" {where} could not be read (SyntaxError); if it was there, repair {them} first."
    return ""


def _nested(symbol: str, parsed: ParsedFile) -> Iterator[str]:
    if symbol not in parsed.text and parsed.text.isascii():  # else `ﬁ` reads as `fi`
        return
    for item in parsed.facts:
        inside = _container(item)
        for part in ast.walk(item.node):
            if isinstance(part, (*FUNCTIONS, ast.ClassDef)) and part.name == symbol and part is not item.node:
                yield f"{parsed.where(part.lineno)} defines it inside {inside}"
                return


def _container(item: Facts) -> str:
    name = getattr(item.node, "name", "")
    if name:
        return f"`{printable(name, 40)}`"
    return f"a `{type(item.node).__name__.lower()}` block that does not run"


class _Near(NamedTuple):
    name: str
    parsed: ParsedFile


def _near_name(symbol: str, files: Sequence[ParsedFile]) -> str:
    """A question about the name most like the missing one; empty if there is none."""
    near = _nearest(symbol, files)
    return _ask(near, symbol) if near else ""


def _nearest(symbol: str, files: Sequence[ParsedFile], taken: frozenset[str] = frozenset()) -> _Near | None:
    """The name most like the missing one, and where it is; none that is `taken`."""
    known = {
        name: parsed
        for parsed in reversed(files)
        for name, bound in parsed.bindings.items()
        if bound[-1].how in ("definition", "assignment") and name not in taken
    }
    folded = {name.lower().replace("_", ""): name for name in known}
    close = difflib.get_close_matches(symbol.lower().replace("_", ""), list(folded)[:2000], n=1, cutoff=0.75)
    if not close:
        return None
    name = folded[close[0]]
    return _Near(name, known[name])


def _ask(near: _Near, symbol: str) -> str:
    where = near.parsed.where(near.parsed.bindings[near.name][-1].node.lineno)
    return f"Did you mean `{printable(near.name, 60)}` ({where})? Rename it to `{symbol}`."


def _names(spec: ExerciseSpec) -> str:
    return ", ".join(f"`{symbol}`" for symbol in spec.symbols)
