"""One submission: the folder or archive holds the exercises' own files at its top, or it is one file."""

from __future__ import annotations

from collections.abc import Iterator

from grader.classroom.identities import clean
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Surroundings
from grader.classroom.records import Identity, Placed
from grader.classroom.tree import Tree
from grader.load.names import COPY, best_tier, kind_of


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    own = [
        entry.parts[0]
        for entry in tree.leaves
        if kind_of(entry.parts[0]) in ("script", "notebook")
        and best_tier(entry.parts[0], around.stems) <= COPY
    ]
    if own:
        return Fit(1.0, f"`{clean(own[0])}` at its top is an exercise's own file")
    return None


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    if tree.entries:
        label = clean(tree.name)
        files = tuple(Placed(entry.path, entry) for entry in tree.entries)
        yield Attempt(tree.name, tree.name, Identity(name=label), files, label=label)


LAYOUT = Layout("single", "one submission", recognise, claim, is_general=True)
