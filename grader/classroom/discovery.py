"""Finds a class's submissions in what people have: folders, zip files, and what an LMS lets them download.

How it works: each input becomes a `Tree` of entries; a layout is recognised (or named) and claims every
entry for somebody's attempt or leaves it out with a reason; `gathering` merges attempts and makes ids. At the
end the entries that came in must be as many as those accounted for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from grader.classroom.gathering import Gathered, count, make_found, without_submission
from grader.classroom.layout import Layout, Surroundings, find_layouts
from grader.classroom.reading import ClassReader
from grader.classroom.records import Discovery, DiscoveryError, Entry, UnknownNameError
from grader.classroom.roster import Roster
from grader.classroom.tree import Tree, make_tree, read_tree, walk_named
from grader.classroom.zipped import is_zip
from grader.errors import HarnessError
from grader.load.names import kind_of
from grader.load.raw import Unreadable
from grader.printable import printable

LEAST_SHARE = 0.5  # of the entries at the top that a layout must be able to place
MAX_WRAPPERS = 4  # folders around the submissions that hold nothing else
MAX_HEAD_BYTES = 256 * 1024 * 1024  # of an LMS's own lists


class _Chosen(NamedTuple):
    layout: Layout
    tree: Tree
    why: str


def discover(
    paths: Sequence[Path],
    *,
    layout: str | None = None,
    roster: Roster | None = None,
    stems: Sequence[str] = (),
) -> Discovery:
    """All submissions in `paths`, each loadable by a `ClassReader`.

    `layout` names one instead of recognising it. `stems`, the exercises' names, tell one submission from a
    class and an exercise's file under a changed name from another.

    Raises:
        DiscoveryError: a path is missing or unreadable, or the layout is unknown.
    """
    layouts = find_layouts()
    if layout is not None and layout not in layouts:
        raise UnknownNameError(
            f"There is no layout `{printable(layout, 80, one_line=True)}`.",
            hint=f"Known layouts: {', '.join(layouts)}.",
        )
    _check_paths(paths)
    with ExitStack() as stack:
        reader = stack.enter_context(ClassReader())
        around = _look_around(reader, roster, stems)
        named = layouts[layout] if layout is not None else None
        chosen = _choose_all(paths, named, layouts, around)
        gathered = Gathered()
        for number, one in enumerate(chosen):
            prefix = f"{number}\0" if len(chosen) > 1 else ""
            total = len(one.tree.entries) + len(one.tree.junk)
            gathered.add(one.layout.claim(one.tree, around), one.tree.junk, total, prefix)
    return _conclude(chosen, gathered, roster)


def _conclude(chosen: Sequence[_Chosen], gathered: Gathered, roster: Roster | None) -> Discovery:
    found, rows = make_found(gathered.attempts, roster)
    counts = count(found, gathered.skipped, gathered.entries)
    if not counts.is_balanced:
        raise HarnessError(
            f"Of {counts.entries} entries {counts.graded + counts.older + counts.skipped} are accounted for."
        )
    names = list(dict.fromkeys(one.layout.name for one in chosen))
    reasons = list(dict.fromkeys(f"`{one.tree.shown}`: {one.why}" for one in chosen))
    assignments = sorted({one.assignment for one in found if one.assignment})
    notes = []
    if len(assignments) > 1:
        shown = ", ".join(f"`{name}`" for name in assignments[:10])
        notes.append(f"There are {len(assignments)} assignments: {shown}. Each is a submission of its own.")
    return Discovery(
        layout=" and ".join(names),
        why="; ".join(reasons),
        found=found,
        skipped=tuple(gathered.skipped),
        counts=counts,
        not_on_roster=tuple(one.id for one in found if not one.on_roster) if roster else (),
        without_submission=without_submission(roster, rows, found) if roster else (),
        notes=tuple(notes),
    )


def _look_around(reader: ClassReader, roster: Roster | None, stems: Sequence[str]) -> Surroundings:
    def read(entry: Entry, limit_bytes: int) -> bytes:
        if entry.size > MAX_HEAD_BYTES:
            return b""
        try:
            return reader.read(entry, MAX_HEAD_BYTES if entry.member < 0 else limit_bytes)[:limit_bytes]
        except Unreadable:
            return b""  # the layout then does without, and says so where it cannot

    return Surroundings(tuple(stems), roster.logins if roster else frozenset(), read)


def _check_paths(paths: Sequence[Path]) -> None:
    if not paths:
        raise DiscoveryError("No path was given.", hint="Name the folder or zip file with the submissions.")
    missing = [printable(str(path), one_line=True) for path in paths if not path.exists()]
    if missing:
        shown = ", ".join(f"`{path}`" for path in missing[:5])
        raise DiscoveryError(f"{shown} {'does' if len(missing) == 1 else 'do'} not exist.")


def _choose_all(
    paths: Sequence[Path], named: Layout | None, layouts: Mapping[str, Layout], around: Surroundings
) -> list[_Chosen]:
    """The layout of every input; paths that are no download by themselves are looked at together."""
    if len(paths) == 1 and (paths[0].is_dir() or is_zip(paths[0])):
        return [_choose(read_tree(paths[0]), named, layouts, around)]
    chosen: list[_Chosen] = []
    rest: list[Path] = []
    unclear: list[Tree] = []
    for path in dict.fromkeys(paths):
        if not (path.is_dir() or is_zip(path)):
            rest.append(path)
            continue
        tree = read_tree(path)
        tried = [named] if named else [one for one in layouts.values() if not one.is_general]
        special = _best(tree, tried, around)
        if special is not None and not special.layout.is_general:
            chosen.append(special)
        else:
            rest.append(path)
            unclear.append(tree)
    if not rest:
        return chosen
    if not chosen and len(unclear) == len(rest) and all(_is_class(tree) for tree in unclear):
        return [_choose(tree, named, layouts, around) for tree in unclear]
    together = _read_together(rest)
    if len(together.top) == 1 and len(rest) == 1:
        return [*chosen, _Chosen(named or layouts["folders"], together, "it is a single path")]
    return [*chosen, _choose(together, named, layouts, around, is_whole=True)]


def _read_together(paths: Sequence[Path]) -> Tree:
    """A tree of only these paths, seen from the nearest folder around all of them."""
    absolute = [Path(os.path.abspath(path)) for path in paths]  # links are not resolved, only `..`
    base = Path(os.path.commonpath([path.parent for path in absolute]))
    entries = walk_named(base, [path.relative_to(base).parts for path in absolute])
    # A path that lies in another one of the paths brings nothing new.
    once = {entry.parts: entry for entry in entries}
    return make_tree(base.name, printable(str(base), one_line=True), once.values())


def _choose(
    tree: Tree,
    named: Layout | None,
    layouts: Mapping[str, Layout],
    around: Surroundings,
    *,
    is_whole: bool = False,
) -> _Chosen:
    """The named layout, else the special one that fits best, else a general one.

    `is_whole` says that the entries at the top were named one by one, so that none is a wrapper.
    """
    if named is not None:
        inner = tree if is_whole else _unwrap(tree)
        best = None if named.is_general else _best(tree, [named], around)
        return best or _Chosen(named, inner, "it was asked for")
    special = _best(tree, [one for one in layouts.values() if not one.is_general], around)
    if special is not None:
        return special
    inner = tree if is_whole else _unwrap(tree)
    if not is_whole and (fit := layouts["single"].recognise(inner, around)):
        return _Chosen(layouts["single"], inner, fit.why)
    for name in ("folders", "files"):
        if fit := layouts[name].recognise(inner, around):
            return _Chosen(layouts[name], inner, fit.why)
    return _Chosen(layouts["folders"], inner, "no layout is recognised and it holds no file with code")


def _best(tree: Tree, candidates: Sequence[Layout], around: Surroundings) -> _Chosen | None:
    """The layout that places the greatest share, here or inside wrapping folders."""
    best: tuple[float, _Chosen] | None = None
    for _ in range(MAX_WRAPPERS):
        for layout in candidates:
            fit = layout.recognise(tree, around)
            if fit is not None and fit.share >= LEAST_SHARE and (best is None or fit.share > best[0]):
                best = (fit.share, _Chosen(layout, tree, fit.why))
        if best is not None or len(tree.top) != 1 or not tree.folders:
            break
        tree = _enter_only(tree)
    return best[1] if best else None


def _unwrap(tree: Tree) -> Tree:
    """Inside folders that hold nothing but one folder, unless that folder is somebody's own."""
    for _ in range(MAX_WRAPPERS):
        if len(tree.top) != 1 or not tree.folders:
            break
        inner = _enter_only(tree)
        has_code = any(kind_of(entry.parts[0]) in ("script", "notebook") for entry in inner.leaves)
        if not inner.top or has_code:
            break
        tree = inner
    return tree


def _enter_only(tree: Tree) -> Tree:
    """Inside the only folder at the top; what lies beside it stays accounted for."""
    name = next(iter(tree.folders))
    inner = tree.enter(name)
    beside = tuple(entry for entry in tree.junk if entry.parts[0] != name or len(entry.parts) == 1)
    return Tree(inner.name, inner.shown, inner.entries, (*inner.junk, *beside))


def _is_class(tree: Tree) -> bool:
    """Does a file's name repeat in several of the folders at the top, as it does in a class only?"""
    tree = _unwrap(tree)
    places: dict[str, set[str]] = {}
    for entry in tree.entries:
        if len(entry.parts) > 1 and kind_of(entry.parts[-1]) != "other":
            places.setdefault(entry.parts[-1].lower(), set()).add(entry.parts[0])
    archives = [entry for entry in tree.leaves if kind_of(entry.parts[0]) == "archive"]
    return any(len(folders) > 1 for folders in places.values()) or len(archives) > 1
