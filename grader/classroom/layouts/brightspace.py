"""Brightspace (D2L): `397063-2557369 - Ada Lovelace - Nov 20, 2026 914 PM/`, a folder per attempt.

The name may hold ` - ` itself, so the time is taken from the right. The first number tells students apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from grader.classroom.identities import clean
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Left, Surroundings
from grader.classroom.records import Identity, Placed
from grader.classroom.tree import Tree, is_leaf

_FOLDER = re.compile(
    r"(?P<user>[0-9]+)-(?P<folder>[0-9]+) - (?P<name>.+) - (?P<time>\S+ \S+ \d{4} \d{3,4}(?: ?[AP]M)?)",
    re.DOTALL,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = re.compile(
    r"(?P<month>[A-Za-z]{3})[a-z]* (?P<day>\d{1,2}), (?P<year>\d{4}) "
    r"(?P<hour>\d{1,2})(?P<minute>\d\d)(?: ?(?P<half>[AP])M)?"
)


class BrightspaceName(NamedTuple):
    user: str
    name: str
    time: str


def parse_folder(text: str) -> BrightspaceName | None:
    match = _FOLDER.fullmatch(text)
    return BrightspaceName(match["user"], match["name"], match["time"]) if match else None


def parse_time(text: str) -> datetime | None:
    """`Nov 20, 2026 914 PM` without a time zone; None in a form or language that is not known."""
    match = _TIME.fullmatch(text)
    if match is None or match["month"].lower() not in _MONTHS:
        return None
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "P" else 0)
    month = _MONTHS.index(match["month"].lower()) + 1
    try:
        return datetime(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]))
    except ValueError:
        return None


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    folders = [name for name in tree.folders if parse_folder(name)]
    others = [entry for entry in tree.leaves if entry.parts[0].lower() != "index.html"]
    total = len(tree.folders) + len(others)
    why = f"{len(folders)} of {total} folders are numbers, a name and a time"
    return Fit(len(folders) / total, why) if folders else None


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    for name, inner in tree.top.items():
        parts = None if is_leaf(inner) else parse_folder(name)
        if parts is None:
            own = name.lower() == "index.html"
            reason = "is Brightspace's own list" if own else "has no name of the kind that Brightspace gives"
            yield from (Left(entry, reason) for entry in inner)
            continue
        time = parse_time(parts.time)
        newest = max(entry.modified for entry in inner)
        yield Attempt(
            person=parts.user,
            id_base=f"{parts.name}_{parts.user}",
            identity=Identity(name=clean(parts.name), lms_id=parts.user),
            files=tuple(Placed("/".join(entry.parts[1:]) or name, entry) for entry in inner),
            order=((time - datetime(1970, 1, 1)).total_seconds() if time else newest, parts.time),
            when=clean(parts.time),
        )


LAYOUT = Layout("brightspace", "Brightspace (D2L), `Download` in an assignment's folder", recognise, claim)
