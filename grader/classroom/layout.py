"""What a layout is: a module in `layouts/`, found by its name, that knows one way of naming submissions.

Each defines `LAYOUT`. `recognise` gives the share of entries that fit, `claim` says of every entry to whose
attempt it belongs or why it is left out. Merging attempts, ids, the roster and the counting are the same
for all layouts and happen elsewhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field
from typing import NamedTuple

from grader.classroom.records import Entry, Identity, Placed
from grader.classroom.tree import Tree


@dataclass(frozen=True)
class Attempt:
    """What one student handed in at one time.

    `person` tells students apart (within one `assignment`); `id_base` is what the id is made from; `label`
    is a name of unknown kind to look up in the roster. The attempt with the greatest `order` counts.
    `earlier` counts attempts that are known of and not in the input.
    """

    person: str
    id_base: str
    identity: Identity
    files: tuple[Placed, ...]
    label: str = ""
    order: tuple[float, str] = (0.0, "")
    when: str = ""
    late: bool = False
    assignment: str = ""
    group: tuple[Identity, ...] = ()
    earlier: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Left:
    """An entry that the layout does not give to anybody; `reason` ends a sentence about it."""

    entry: Entry
    reason: str


Claim = Attempt | Left


class Fit(NamedTuple):
    """`share` of the entries (0 to 1) that a layout can place, and what shows that it is this layout."""

    share: float
    why: str


@dataclass(frozen=True)
class Surroundings:
    """What a layout may know beside the tree.

    `stems` are the exercises' names, `logins` those of the roster; `read` gives the first bytes of an entry
    (empty if it cannot be read).
    """

    stems: tuple[str, ...] = ()
    logins: frozenset[str] = frozenset()
    read: Callable[[Entry, int], bytes] = field(default=lambda entry, limit_bytes: b"")


@dataclass(frozen=True)
class Layout:
    """`is_general` ones (any folder, any file) are tried only when no other fits."""

    name: str
    title: str
    recognise: Callable[[Tree, Surroundings], Fit | None]
    claim: Callable[[Tree, Surroundings], Iterable[Claim]]
    is_general: bool = False


def find_layouts() -> Mapping[str, Layout]:
    """All layouts by name. One that does not import stops the run."""
    from grader.classroom import layouts

    found: dict[str, Layout] = {}
    for module in sorted(pkgutil.iter_modules(layouts.__path__), key=lambda one: one.name):
        if not module.name.startswith("_"):
            layout: Layout = importlib.import_module(f"{layouts.__name__}.{module.name}").LAYOUT
            found[layout.name] = layout
    return found


def share(fitting: int, entries: Sized) -> float:
    return fitting / len(entries) if entries else 0.0
