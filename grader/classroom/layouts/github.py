"""GitHub Classroom and Classroom 50: a folder of clones, each called `<assignment>-<login>`.

Where the assignment's name ends is told by the folder around them (`<assignment>-submissions`), else by
the roster's logins, else by what all clones' names start with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from grader.classroom.identities import clean, common_start
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Left, Surroundings, share
from grader.classroom.records import Identity, Placed
from grader.classroom.tree import Tree

_SUFFIX = "-submissions"


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    clones = {entry.parts[0] for entry in tree.junk if entry.parts[1:2] == (".git",)} & set(tree.folders)
    prefix = _named_prefix(tree)
    named = {name for name in tree.folders if prefix and name.startswith(prefix)}
    if len(clones) >= len(named) and clones:
        why = f"{len(clones)} of {len(tree.top)} folders are clones of repositories"
        return Fit(share(len(clones), tree.folders), why)
    if named:
        why = f"{len(named)} of {len(tree.top)} folders start with `{clean(prefix)}`, like the folder around"
        return Fit(share(len(named), tree.folders), why)
    return None


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    prefix = _named_prefix(tree) or common_start(list(tree.folders), "-")
    for entry in tree.leaves:
        yield Left(entry, "lies outside the clones")
    for name, inner in tree.folders.items():
        login = login_of(name, prefix, around.logins)
        yield Attempt(
            person=name,
            id_base=login,
            identity=Identity(login=clean(login)),
            label=clean(login),
            files=tuple(Placed("/".join(entry.parts[1:]) or name, entry) for entry in inner),
        )


def login_of(name: str, prefix: str, logins: Collection[str]) -> str:
    """The student's (or team's) part of a clone's name; the whole name where no part can be told."""
    folded = {login.casefold() for login in logins}
    for place, char in enumerate(name):
        if char == "-" and name[place + 1 :].casefold() in folded:
            return name[place + 1 :]
    return name[len(prefix) :] if name.startswith(prefix) and len(name) > len(prefix) else name


def _named_prefix(tree: Tree) -> str:
    return f"{tree.name.removesuffix(_SUFFIX)}-" if tree.name.endswith(_SUFFIX) else ""


LAYOUT = Layout("github", "GitHub Classroom or Classroom 50, a folder of clones", recognise, claim)
