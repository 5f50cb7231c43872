"""What a reader should know of the file that counts: which others define the same, and whose they may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from grader.load.slips import slip_notes
from grader.load.symbols import Candidate, defines_itself
from grader.records import Note

MAX_NAMED = 5
MAX_FOLDERS_OF_ONE = 2  # that hold the same exercise: a draft beside the answer, not yet a class


def remarks(chosen: Candidate, candidates: Sequence[Candidate]) -> Iterator[Note]:
    """Rivals that lost, misspelt methods, and definitions that were replaced."""
    path = chosen.parsed.path
    rivals = [one.parsed.path for one in _defining(candidates) if one is not chosen]
    if rivals:
        symbols = ", ".join(f"`{symbol}`" for symbol in chosen.spec.symbols)
        text = f"{symbols} is defined in `{path}`, which counts, and also in {_named(rivals)}."
        yield Note(text, path=path)
    for symbol in chosen.spec.symbols:
        yield from slip_notes(chosen.parsed, symbol)
        bound = chosen.parsed.bindings.get(symbol, ())
        top = [item for item in bound if item.how == "definition" and item in chosen.parsed.facts]
        if len(top) > 1:
            where = chosen.parsed.where(bound[-1].node.lineno)
            times = (
                f"`{symbol}` is defined {len(top)} times in `{path}`; the last definition counts ({where})."
            )
            yield Note(times, path=path)


def ask_whose(exercises: Iterable[Sequence[Candidate]]) -> list[Note]:
    """Where many folders answer one exercise: a question to staff, once, whether PATH is a whole class.

    `exercises` holds the candidates of each exercise.
    """
    found = (_folders([one.parsed.path for one in _defining(candidates)]) for candidates in exercises)
    most = max(found, key=len, default=[])
    if len(most) <= MAX_FOLDERS_OF_ONE:
        return []
    said = (
        f"{len(most)} folders answer the same exercise: {_named(most)}. Is this the work of several students?"
    )
    return [Note(f"{said} `grade batch` grades each by itself.", audience="staff")]


def _defining(candidates: Iterable[Candidate]) -> list[Candidate]:
    return [one for one in candidates if one.written and defines_itself(one)]


def _folders(paths: Iterable[str]) -> list[str]:
    """The folders side by side, below the one that holds all of `paths`; a file in that one is in none."""
    parents = [PurePosixPath(path).parent.parts for path in paths]
    levels = zip(*parents, strict=False)
    shared = 0
    while len(set(next(levels, ()))) == 1:
        shared += 1
    return sorted({parent[shared] for parent in parents if len(parent) > shared})


def _named(names: Sequence[str]) -> str:
    more = " and more" if len(names) > MAX_NAMED else ""
    return ", ".join(f"`{name}`" for name in names[:MAX_NAMED]) + more
