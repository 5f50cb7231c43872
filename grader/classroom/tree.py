"""The input as a list of entries: a folder on disk or a zip file, walked within bounds, links not followed.

A folder that nobody hands in on purpose (a repository's history, an environment, a cache) is one entry and
is not entered. A folder counts as an entry only when nothing lies in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from grader.classroom.records import DiscoveryError, Entry, EntryKind
from grader.classroom.zipped import MAX_PARTS, list_zip
from grader.printable import printable

MAX_ENTRIES = 500_000  # of a whole class
MAX_FOLDER_ENTRIES = 100_000  # directly in one folder
MAX_DEPTH = MAX_PARTS - 1  # nested folders

_NOT_ENTERED: Mapping[str, str] = {
    ".git": "is the history of a repository and was not entered",
    ".hg": "is the history of a repository and was not entered",
    ".svn": "is the history of a repository and was not entered",
    ".ipynb_checkpoints": "holds automatic copies of notebooks and was not entered",
    "__pycache__": "is a cache and was not entered",
    "__MACOSX": "holds what macOS adds to archives and was not entered",
    "node_modules": "holds installed packages and was not entered",
    "site-packages": "holds installed packages and was not entered",
}
_ENVIRONMENT = "is a Python environment and was not entered"
_JUNK_NAMES = frozenset({"thumbs.db", "desktop.ini", "icon\r"})


@dataclass(frozen=True)
class Tree:
    """Entries below a folder or in a zip file; `name` is what that is called, without `.zip`."""

    name: str
    shown: str
    entries: tuple[Entry, ...]
    junk: tuple[Entry, ...] = ()

    @cached_property
    def top(self) -> Mapping[str, tuple[Entry, ...]]:
        """The entries by the first part of their paths, in the order of these names."""
        groups: dict[str, list[Entry]] = {}
        for entry in self.entries:
            groups.setdefault(entry.parts[0], []).append(entry)
        return {name: tuple(groups[name]) for name in sorted(groups)}

    @cached_property
    def folders(self) -> Mapping[str, tuple[Entry, ...]]:
        """Of `top`, what is a folder."""
        return {name: inner for name, inner in self.top.items() if not is_leaf(inner)}

    @cached_property
    def leaves(self) -> tuple[Entry, ...]:
        """Of `top`, what is no folder."""
        return tuple(inner[0] for inner in self.top.values() if is_leaf(inner))

    def enter(self, name: str) -> Tree:
        """What lies in the folder `name` at the top; the rest is left out."""
        inner = tuple(lower(entry) for entry in self.top[name] if len(entry.parts) > 1)
        junk = tuple(lower(entry) for entry in self.junk if entry.parts[0] == name and len(entry.parts) > 1)
        return Tree(name, f"{self.shown}/{printable(name, one_line=True)}", inner, junk)


def is_leaf(inner: Sequence[Entry]) -> bool:
    """Do these entries of one name at the top make up a file (or link), not a folder?"""
    return len(inner) == 1 and len(inner[0].parts) == 1 and inner[0].kind not in ("empty folder",)


def lower(entry: Entry) -> Entry:
    """The same entry, seen from one folder further down."""
    fields = {name: getattr(entry, name) for name in entry.__dataclass_fields__}
    return Entry(**{**fields, "parts": entry.parts[1:]})


def is_junk(name: str) -> bool:
    """Is this the name of something that systems leave behind, or that is hidden?"""
    return name.startswith(".") or name.lower() in _JUNK_NAMES or name in _NOT_ENTERED


def read_tree(path: Path) -> Tree:
    """The entries of a folder or a zip file.

    Raises:
        DiscoveryError: it is neither, cannot be read, or holds more than is looked at.
    """
    shown = printable(str(path), one_line=True)
    if path.is_dir():
        entries = list(islice(_walk(path), MAX_ENTRIES + 1))
        name = path.name or path.resolve().name
    else:
        entries = _close_folders(list_zip(path, MAX_ENTRIES))
        name = path.stem
    if len(entries) > MAX_ENTRIES:
        raise DiscoveryError(f"`{shown}` holds more than {MAX_ENTRIES} entries.")
    return make_tree(name, shown, entries)


def make_tree(name: str, shown: str, entries: Iterable[Entry]) -> Tree:
    kept: list[Entry] = []
    junk: list[Entry] = []
    for entry in entries:
        out = entry.kind == "refused" or any(is_junk(part) for part in entry.parts)
        (junk if out else kept).append(entry)
    return Tree(name, shown, tuple(kept), tuple(junk))


def walk_named(base: Path, names: Sequence[tuple[str, ...]]) -> Iterator[Entry]:
    """The entries of only these files and folders below `base`, with paths from `base`."""
    for parts in names:
        place = base.joinpath(*parts)
        if place.is_dir() and not place.is_symlink():
            yield from _walk(place, parts)
        else:
            yield _describe(os.fspath(place), parts)


def _walk(root: Path, above: tuple[str, ...] = ()) -> Iterator[Entry]:
    waiting: list[tuple[str, tuple[str, ...]]] = [(os.fspath(root), above)]
    while waiting:
        folder, parts = waiting.pop()
        try:
            with os.scandir(folder) as scan:
                inner = sorted(islice(scan, MAX_FOLDER_ENTRIES), key=lambda one: one.name)
        except OSError as err:
            if not parts:
                raise DiscoveryError(f"`{printable(folder)}` cannot be listed: {err.strerror}.") from err
            yield Entry(parts, "special", folder, problem=f"cannot be listed: {err.strerror}")
            continue
        if parts and any(one.name == "pyvenv.cfg" for one in inner):
            yield Entry(parts, "not entered", folder, problem=_ENVIRONMENT)
            continue
        if all(is_junk(one.name) for one in inner) and parts:
            yield Entry(
                parts, "empty folder", folder, modified=_modified(folder), problem="is an empty folder"
            )
        for one in inner:
            below = (*parts, one.name)
            if not one.is_dir(follow_symlinks=False):
                yield _describe(one.path, below)
            elif one.name in _NOT_ENTERED:
                yield Entry(below, "not entered", one.path, problem=_NOT_ENTERED[one.name])
            elif len(below) > MAX_DEPTH:
                yield Entry(
                    below, "not entered", one.path, problem=f"lies more than {MAX_DEPTH} folders deep"
                )
            else:
                waiting.append((one.path, below))


def _describe(location: str, parts: tuple[str, ...]) -> Entry:
    try:
        status = os.lstat(location)
    except OSError as err:
        return Entry(parts, "special", location, problem=f"cannot be reached: {err.strerror}")
    kind: EntryKind = "file"
    problem = ""
    if stat.S_ISLNK(status.st_mode):
        kind, problem = "link", "is a symbolic link, which is not followed"
    elif not stat.S_ISREG(status.st_mode):
        kind, problem = "special", "is a special file"
    return Entry(parts, kind, location, size=status.st_size, modified=status.st_mtime, problem=problem)


def _modified(location: str) -> float:
    try:
        return os.lstat(location).st_mtime
    except OSError:
        return 0.0  # only ever decides between attempts that say nothing else about their time


def _close_folders(entries: Sequence[Entry]) -> list[Entry]:
    """Entries of a zip file, where a folder that is not entered, and an empty one, is one entry."""
    refused = [entry for entry in entries if entry.kind == "refused"]
    entries = [entry for entry in entries if entry.kind != "refused"]
    environments = {entry.parts[:-1] for entry in entries if entry.parts[-1] == "pyvenv.cfg"} - {()}
    closed: dict[tuple[str, ...], Entry] = {}
    kept: list[Entry] = []
    folders: set[tuple[str, ...]] = set()
    for entry in entries:
        shut = _shut_at(entry, environments)
        if shut is not None:
            closed.setdefault(shut.parts, shut)
        elif entry.kind != "empty folder":
            kept.append(entry)
        own = shut.parts[:-1] if shut else entry.parts if entry.kind == "empty folder" else entry.parts[:-1]
        folders.update(own[:depth] for depth in range(1, len(own) + 1))
    occupied: set[tuple[str, ...]] = set()
    for entry in (*kept, *closed.values()):
        if not is_junk(entry.parts[-1]):
            occupied.update(entry.parts[:depth] for depth in range(len(entry.parts)))
    for parts in sorted(folders, key=len, reverse=True):
        if parts not in occupied and not is_junk(parts[-1]):
            occupied.update(parts[:depth] for depth in range(len(parts)))
            container = entries[0].container
            kept.append(Entry(parts, "empty folder", container, problem="is an empty folder"))
    return sorted([*kept, *closed.values(), *refused], key=lambda one: one.parts)


def _shut_at(entry: Entry, environments: set[tuple[str, ...]]) -> Entry | None:
    """The entry of the outermost folder around this one that is not entered, if there is one."""
    for depth in range(1, len(entry.parts) + 1):
        parts = entry.parts[:depth]
        is_folder = depth < len(entry.parts) or entry.kind == "empty folder"
        problem = _NOT_ENTERED.get(parts[-1], "") if is_folder else ""
        if parts in environments:
            problem = _ENVIRONMENT
        if problem:
            return Entry(parts, "not entered", entry.container, problem=problem)
    return None
