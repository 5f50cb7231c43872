"""Moodle: `Ada Lovelace_90210_assignsubmission_file/attention.py`, or the same in one flat file name.

The number is the participant's (or the team's) in this assignment only. Moodle turns underscores in names
into spaces, so the parts cannot be confused. Blind marking gives `Participant` for every name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from grader.classroom.identities import clean
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Left, Surroundings, share
from grader.classroom.records import Entry, Identity, Placed
from grader.classroom.tree import Tree

_PATH = re.compile(
    r"(?P<name>[^_/]*?)(?:_(?P<number>[0-9]+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_?/|_)(?P<inside>.*)",
    re.DOTALL,
)


class MoodleName(NamedTuple):
    """The parts of a path; `number` is empty for a student without a team."""

    name: str
    number: str
    plugin: str
    inside: str


def parse_path(path: str) -> MoodleName | None:
    match = _PATH.fullmatch(path)
    return (
        MoodleName(match["name"], match["number"] or "", match["plugin"], match["inside"]) if match else None
    )


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    fitting = sum(1 for name in tree.top if parse_path(f"{name}/"))
    why = f"{fitting} of {len(tree.top)} names hold `_assignsubmission_`"
    return Fit(share(fitting, tree.top), why) if fitting else None


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    sources: dict[tuple[str, str], list[tuple[MoodleName, Entry]]] = {}
    for name, inner in tree.top.items():
        for entry in inner:
            parts = parse_path(f"{entry.path}/" if entry.kind == "empty folder" else entry.path)
            if parts is None:
                yield Left(entry, "has no name of the kind that Moodle gives")
                continue
            flat = len(entry.parts) == 1 and entry.kind != "empty folder"
            download = f"{parts.name}_{parts.plugin}" if flat else name
            person = parts.number or f"name {parts.name}"
            sources.setdefault((person, download.rstrip("_")), []).append((parts, entry))
    yield from _merge(sources)


def _merge(sources: dict[tuple[str, str], list[tuple[MoodleName, Entry]]]) -> Iterator[Attempt]:
    """Files and typed text of one download are one attempt; a second download of a plugin is another."""
    people: dict[str, list[list[tuple[MoodleName, Entry]]]] = {}
    for (person, _), placed in sources.items():
        people.setdefault(person, []).append(placed)
    for person, downloads in people.items():
        rounds: list[list[tuple[MoodleName, Entry]]] = []
        used: list[set[str]] = []
        for placed in sorted(downloads, key=_newest):
            plugin = placed[0][0].plugin
            for number, plugins in enumerate(used):
                if plugin not in plugins:
                    rounds[number] += placed
                    plugins.add(plugin)
                    break
            else:
                rounds.append(list(placed))
                used.append({plugin})
        for number, attempt in enumerate(rounds):
            yield _attempt(person, attempt, float(number), is_only=len(rounds) == 1)


def _newest(placed: list[tuple[MoodleName, Entry]]) -> tuple[float, str]:
    return max(entry.modified for _, entry in placed), placed[0][1].path


def _attempt(person: str, placed: list[tuple[MoodleName, Entry]], order: float, is_only: bool) -> Attempt:
    first = placed[0][0]
    is_blind = first.name.casefold() == "participant"
    notes = [] if is_only else ["There is more than one download; the files changed last count."]
    if any(parts.plugin == "onlinetext" for parts, _ in placed):
        notes.append("The student typed a text online.")
    name = "" if is_blind else clean(first.name)
    return Attempt(
        person=person,
        id_base=f"{first.name}_{first.number}" if first.number else first.name,
        identity=Identity(name=name, participant=first.number),
        files=tuple(Placed(parts.inside or entry.parts[-1], entry) for parts, entry in placed),
        order=(order, ""),
        notes=tuple(notes),
    )


LAYOUT = Layout("moodle", "Moodle, `Download all submissions`", recognise, claim)
