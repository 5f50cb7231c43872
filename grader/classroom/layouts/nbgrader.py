"""nbgrader: `submitted/<student>/<assignment>/`, or the exchange's `inbound/<student>+<assignment>+<time>/`.

The folder of a whole course works too: its `submitted` (or `inbound`) is taken and its other folders, which
hold releases and results, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from grader.classroom.identities import clean
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Left, Surroundings, share
from grader.classroom.records import Entry, Identity, Placed
from grader.classroom.tree import Tree

_EXCHANGED = re.compile(
    r"(?P<student>[^+]+)\+(?P<assignment>[^+]+)"
    r"\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? ?[^+]*)(?:\+.*)?",
    re.DOTALL,
)
_COURSE_FOLDERS = frozenset(
    {"autograded", "feedback", "gradebook.db", "nbgrader_config.py", "outbound", "release", "source"}
)
_SUBMITTED = ("submitted", "inbound")
_TIMESTAMP = "timestamp.txt"


class ExchangeName(NamedTuple):
    student: str
    assignment: str
    time: str


def parse_exchange(text: str) -> ExchangeName | None:
    match = _EXCHANGED.fullmatch(text)
    return ExchangeName(match["student"], match["assignment"], match["time"].strip()) if match else None


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    top = set(tree.top)
    if inner := _course_part(tree):
        return Fit(1.0, f"it is a course folder with `{inner}`")
    if top and tree.name == "submitted" and _fits(tree, tree.name) == 1.0:
        return Fit(1.0, "it is called `submitted` and holds a folder per student and assignment")
    exchanged = sum(1 for name in tree.folders if parse_exchange(name))
    if exchanged:
        why = f"{exchanged} of {len(tree.top)} folders are student, assignment and time joined by `+`"
        return Fit(share(exchanged, tree.top), why)
    stamped = {entry.parts[:2] for entry in tree.entries if entry.parts[2:] == (_TIMESTAMP,)}
    if stamped:
        students = {parts[0] for parts in stamped}
        why = f"{len(students)} of {len(tree.top)} folders hold an assignment with `{_TIMESTAMP}`"
        return Fit(share(len(students), tree.top), why)
    return None


def _course_part(tree: Tree) -> str:
    """The folder of a course that holds what students handed in; empty if the tree is no course."""
    inner = next((name for name in _SUBMITTED if name in tree.folders), "")
    if inner and (set(tree.top) & _COURSE_FOLDERS or _fits(tree.enter(inner), inner) == 1.0):
        return inner
    return ""


def _fits(tree: Tree, name: str) -> float:
    """The share of top folders that are as nbgrader makes them under `submitted` or `inbound`."""
    if name == "inbound":
        return share(sum(1 for folder in tree.folders if parse_exchange(folder)), tree.top)
    fitting = [
        inner
        for inner in tree.folders.values()
        if all(len(entry.parts) > 2 or entry.kind == "empty folder" for entry in inner)
    ]
    return share(len(fitting), tree.top)


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    inner = _course_part(tree)
    skip = 1 if inner else 0
    attempts: dict[tuple[str, ...], list[Entry]] = {}
    for entry in tree.entries:
        parts = entry.parts[skip:]
        if inner and entry.parts[0] != inner:
            yield Left(entry, f"is part of the course and not of `{inner}`")
        elif not parts:
            yield Left(entry, "is an empty folder")
        elif parse_exchange(parts[0]):
            attempts.setdefault(parts[:1], []).append(entry)
        elif len(parts) > 2 or (len(parts) == 2 and entry.kind == "empty folder"):
            attempts.setdefault(parts[:2], []).append(entry)
        elif entry.kind == "empty folder":
            yield Left(entry, "is a student's folder without any assignment")
        else:
            yield Left(entry, "lies outside the folders of students and assignments")
    for parts, entries in attempts.items():
        yield _attempt(parts, entries, skip + len(parts))


def _attempt(parts: tuple[str, ...], entries: list[Entry], depth: int) -> Attempt:
    exchanged = parse_exchange(parts[0])
    student, assignment = (exchanged.student, exchanged.assignment) if exchanged else (parts[0], parts[1])
    time = exchanged.time if exchanged else ""
    return Attempt(
        person=student,
        id_base=student,
        identity=Identity(login=clean(student)),
        label=clean(student),
        files=tuple(Placed("/".join(entry.parts[depth:]) or entry.parts[-1], entry) for entry in entries),
        order=(0.0, time),
        when=clean(time),
        assignment=assignment,
    )


LAYOUT = Layout("nbgrader", "nbgrader, `submitted/` or the exchange's `inbound/`", recognise, claim)
