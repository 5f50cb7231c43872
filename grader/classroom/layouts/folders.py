"""Any folder: each folder in it is a student's, and so is each file or archive beside them.

Where a file's name ends in an exercise's (`ada_masked_softmax.py`), what comes before is the student's, and
such files of one student belong together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grader.classroom.identities import clean
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Left, Surroundings
from grader.classroom.records import Entry, Identity, Placed
from grader.classroom.tree import Tree
from grader.load.names import ARCHIVE_ENDINGS, bare_name, kind_of

_SEPARATORS = " _-.+"


class FileName(NamedTuple):
    """Whose file it is, and the file's name inside the submission."""

    label: str
    inside: str


def parse_file(name: str, stems: Sequence[str]) -> FileName:
    bare = bare_name(name)
    for ending in sorted(ARCHIVE_ENDINGS, key=len, reverse=True):
        if kind_of(name) == "archive" and bare.lower().endswith(ending):
            return FileName(bare[: -len(ending)] or bare, name)
    for stem in sorted(stems, key=len, reverse=True):
        match = re.fullmatch(
            rf"(.+?)[{re.escape(_SEPARATORS)}]+{re.escape(stem)}", bare, re.IGNORECASE | re.DOTALL
        )
        if match:
            return FileName(match[1], stem + name[len(bare) :])
    return FileName(bare, name)


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    folders = len(tree.folders)
    files = sum(1 for entry in tree.leaves if kind_of(entry.parts[0]) != "other")
    if folders and folders >= files:
        return Fit(1.0, f"it holds {folders} folders, one for each student")
    return None


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    people: dict[str, list[Placed]] = {}
    for name, inner in tree.folders.items():
        people[name] = [Placed("/".join(entry.parts[1:]) or name, entry) for entry in inner]
    for entry in tree.leaves:
        if kind_of(entry.parts[0]) == "other":
            yield Left(entry, _why_not(entry))
            continue
        parsed = parse_file(entry.parts[0], around.stems)
        people.setdefault(parsed.label, []).append(Placed(parsed.inside, entry))
    for label, files in people.items():
        yield Attempt(
            person=label,
            id_base=label,
            identity=Identity(name=clean(label)),
            label=clean(label),
            files=tuple(files),
        )


def _why_not(entry: Entry) -> str:
    return entry.problem or "is not a Python file, a notebook or an archive"


LAYOUT = Layout("folders", "a folder of folders, one for each student", recognise, claim, is_general=True)
