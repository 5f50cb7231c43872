"""Blackboard: `HW 3_ada_attempt_2026-11-20-21-14-03_attention.py`, and a receipt `.txt` per attempt.

Assignment and user name are joined by an underscore and may hold some themselves. Who it is, is told by
the roster's logins, else by the receipt's first line (`Name: Ada Lovelace (ada)`), else by what all names
of the download start with, else by the last underscore.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from grader.classroom.identities import clean, common_start
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Left, Surroundings, share
from grader.classroom.records import Entry, Identity, Placed
from grader.classroom.tree import Tree

_NAME = re.compile(
    r"(?P<head>.+?)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|(?P<receipt>\.txt))", re.DOTALL
)
_RECEIPT_NAME = re.compile(r"[^:\n]{1,40}:\s*(?P<name>[^\n]*?)\s*\((?P<login>[^()\n]+)\)\s*")
_RECEIPT_BYTES = 2048


class BlackboardName(NamedTuple):
    """The parts of a name; `original` is empty for the receipt."""

    head: str
    time: str
    original: str


class _Who(NamedTuple):
    assignment: str
    login: str
    name: str = ""
    note: str = ""


def parse_name(text: str) -> BlackboardName | None:
    match = _NAME.fullmatch(text)
    return BlackboardName(match["head"], match["time"], match["file"] or "") if match else None


def split_head(head: str, logins: Collection[str], common: str = "") -> tuple[str, str, bool]:
    """Assignment, user name, and whether that is certain. `common` is what all heads start with."""
    folded = {login.casefold() for login in logins}
    cuts = [place for place, char in enumerate(head) if char == "_" and 0 < place < len(head) - 1]
    for cut in cuts:  # the longest user name that fits
        if head[cut + 1 :].casefold() in folded:
            return head[:cut], head[cut + 1 :], True
    if common and head.startswith(common) and len(common) < len(head):
        return common.rstrip("_"), head[len(common) :], "_" not in head[len(common) :]
    if not cuts:
        return "", head, False
    return head[: cuts[-1]], head[cuts[-1] + 1 :], len(cuts) == 1


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    fitting = sum(1 for entry in tree.leaves if parse_name(entry.parts[0]))
    why = f"{fitting} of {len(tree.top)} names hold `_attempt_` and a time"
    return Fit(share(fitting, tree.top), why) if fitting else None


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    attempts: dict[tuple[str, str], list[tuple[BlackboardName, Entry]]] = {}
    for name, inner in tree.top.items():
        parts = parse_name(name) if len(inner[0].parts) == 1 and inner[0].kind != "empty folder" else None
        if parts is None:
            yield from (Left(entry, "has no name of the kind that Blackboard gives") for entry in inner)
        else:
            attempts.setdefault((parts.head, parts.time), []).append((parts, inner[0]))
    receipts = _read_receipts(attempts, around)
    heads = sorted({head for head, _ in attempts})
    common = common_start(heads, "_")
    for (head, time), placed in attempts.items():
        yield _attempt(_who(head, receipts, around.logins, common), time, placed)


def _who(head: str, receipts: Mapping[str, tuple[str, str]], logins: Collection[str], common: str) -> _Who:
    if head in receipts:
        login, name = receipts[head]
        return _Who(head[: -len(login) - 1], login, name)
    assignment, login, is_certain = split_head(head, logins, common)
    note = f"It is not certain that `{clean(login)}` is the whole user name: give a roster with logins."
    return _Who(assignment, login, note="" if is_certain else note)


def _read_receipts(
    attempts: Mapping[tuple[str, str], list[tuple[BlackboardName, Entry]]], around: Surroundings
) -> dict[str, tuple[str, str]]:
    """Login and name by head, from the first line of a receipt where it agrees with the file's name."""
    found: dict[str, tuple[str, str]] = {}
    for (head, _), placed in attempts.items():
        for parts, entry in placed:
            if parts.original:
                continue
            text = around.read(entry, _RECEIPT_BYTES).decode("utf-8-sig", "replace")
            match = _RECEIPT_NAME.match(text)
            if match and head.endswith(f"_{match['login']}"):
                found[head] = (match["login"], match["name"])
    return found


def _attempt(who: _Who, time: str, placed: list[tuple[BlackboardName, Entry]]) -> Attempt:
    receipt = [entry for parts, entry in placed if not parts.original]
    return Attempt(
        person=who.login,
        id_base=who.login,
        identity=Identity(name=clean(who.name), login=clean(who.login)),
        files=tuple(
            Placed(parts.original or "submission receipt.txt", entry)
            for parts, entry in placed
        ),
        order=(0.0, time),
        when=time,
        assignment=who.assignment,
        notes=(*((who.note,) if who.note else ()),
               *(() if len(receipt) < len(placed) else ("Only the receipt is there, without a file.",))),
    )  # fmt: skip


LAYOUT = Layout("blackboard", "Blackboard Learn, `Assignment File Download`", recognise, claim)
