"""Canvas: `doejane_LATE_501_88001_attention.py`, all files of the class side by side.

Canvas writes name, `LATE` when late, user id, attachment id and the student's own file name; only the own
name may hold further underscores and digits, so a name is read from the left. A file handed in again under
the same name comes back as `attention-1.py`. A download holds the latest attempt of everybody; two
downloads in one folder hold more, and then the greater attachment id is the newer file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grader.classroom.identities import clean
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Left, Surroundings, share
from grader.classroom.records import Entry, Identity, Placed
from grader.classroom.tree import Tree

_NAME = re.compile(
    r"(?:(?P<anonymous_late>LATE)_)?anon_(?P<anonymous>[0-9A-Za-z]+)_(?P<anonymous_number>[0-9]{1,18})"
    r"_(?P<anonymous_file>.+)"
    r"|(?P<name>\w+?)(?:_(?P<late>LATE))?_(?P<user>[0-9]+)"
    r"_(?:(?P<number>[0-9]{1,18})_(?P<file>.+)|(?P<special>text\.html|link\.html))",
    re.DOTALL,
)
_NUMBERED = re.compile(r"(?P<stem>.+)-\d+(?P<ending>(?:\.[A-Za-z0-9]+)*)", re.DOTALL)
_SPECIAL = {"text.html": "The student typed a text instead of uploading a file.",
            "link.html": "The student handed in a link instead of a file."}  # fmt: skip


class CanvasName(NamedTuple):
    """The parts of a name; `number` is the attachment's, 0 for a text or a link."""

    name: str
    user: str
    is_anonymous: bool
    late: bool
    number: int
    original: str


class _File(NamedTuple):
    entry: Entry
    parts: CanvasName
    restored: str


def parse_name(text: str) -> CanvasName | None:
    match = _NAME.fullmatch(text)
    if match is None:
        return None
    if match["anonymous"]:
        number = int(match["anonymous_number"])
        late = bool(match["anonymous_late"])
        return CanvasName("", match["anonymous"], True, late, number, match["anonymous_file"])
    original = match["file"] or match["special"]
    return CanvasName(
        match["name"], match["user"], False, bool(match["late"]), int(match["number"] or 0), original
    )


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    names = [parse_name(entry.parts[0]) for entry in tree.leaves]
    fitting = sum(
        1
        for one in names
        if one is not None
        and not any(char.isupper() for char in one.name)
        and "assignsubmission" not in one.name
    )
    return Fit(
        share(fitting, tree.top),
        f"{fitting} of {len(tree.top)} names are name, user id, attachment id and file name",
    ) if fitting else None  # fmt: skip


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    people: dict[str, list[_File]] = {}
    for name, inner in tree.top.items():
        parts = parse_name(name) if inner[0].kind != "empty folder" and len(inner[0].parts) == 1 else None
        if parts is None:
            yield from (Left(entry, "has no name of the kind that Canvas gives") for entry in inner)
            continue
        person = f"anon_{parts.user}" if parts.is_anonymous else parts.user
        people.setdefault(person, []).append(_File(inner[0], parts, parts.original))
    for person, files in people.items():
        yield from _attempts(person, files, around.stems)


def _attempts(person: str, files: Sequence[_File], stems: Sequence[str]) -> Iterator[Attempt]:
    """On-time and late files never come from one attempt; within each, newer files replace older ones."""
    for late in (False, True):
        current: dict[str, _File] = {}
        same = sorted((one for one in files if one.parts.late is late), key=lambda one: one.parts.number)
        present = {one.parts.original.lower() for one in same}
        for one in same:
            restored = _restore(one.parts.original, present, stems)
            replaced = current.pop(restored.lower(), None)
            if replaced is not None:
                yield _attempt(person, [replaced], rank=0.0)
            current[restored.lower()] = one._replace(restored=restored)
        if current:
            yield _attempt(person, list(current.values()), rank=1.0)


def _attempt(person: str, files: Sequence[_File], rank: float) -> Attempt:
    newest = max(one.parts.number for one in files)
    parts = files[-1].parts
    notes = [_SPECIAL[one.parts.original] for one in files if not one.parts.number]
    return Attempt(
        person=person,
        id_base=person if parts.is_anonymous else f"{parts.name}_{parts.user}",
        identity=Identity(name=clean(parts.name), lms_id="" if parts.is_anonymous else parts.user),
        files=tuple(Placed(one.restored, one.entry) for one in files),
        # A whole set of files counts before one that was replaced inside it.
        order=(rank * 1e15 + newest, ""),
        when=f"attachment {newest}" if newest else "",
        late=parts.late,
        notes=tuple(notes),
    )


def _restore(original: str, present: set[str], stems: Sequence[str]) -> str:
    """The name before Canvas numbered it, where that is known: an exercise's, or one that is there too."""
    match = _NUMBERED.fullmatch(original)
    if match is None:
        return original
    bare = match["stem"] + match["ending"]
    return bare if match["stem"] in stems or bare.lower() in present else original


LAYOUT = Layout("canvas", "Canvas, `Download Submissions`", recognise, claim)
