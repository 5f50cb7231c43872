"""From what a layout claims to submissions: attempts merged, ids made, roster applied, everything counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from grader.classroom.identities import clean, letters, unique_ids
from grader.classroom.layout import Attempt, Claim, Left
from grader.classroom.records import Counts, Entry, Found, Identity, Older, Placed, Skipped
from grader.classroom.roster import Roster, RosterRow, fill_in

HIDDEN = "is hidden or left behind by a system, not handed in"


@dataclass
class Gathered:
    """Claims of one or more inputs, until all are in."""

    attempts: list[Attempt] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    entries: int = 0

    def add(self, claims: Iterable[Claim], junk: Sequence[Entry], entries: int, prefix: str = "") -> None:
        """Take in an input's claims; `prefix` keeps people of different inputs apart."""
        self.entries += entries
        for claim in claims:
            if isinstance(claim, Left):
                self.skipped.append(Skipped(claim.entry.shown, claim.reason))
            else:
                self.attempts.append(replace(claim, person=f"{prefix}{claim.person}"))
        self.skipped += [Skipped(entry.shown, entry.problem or HIDDEN) for entry in junk]


def make_found(
    attempts: Sequence[Attempt], roster: Roster | None
) -> tuple[tuple[Found, ...], list[RosterRow]]:
    """One submission per person and assignment, in the order of ids, and the roster's rows that have one."""
    people: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in attempts:
        people.setdefault((attempt.assignment, attempt.person), []).append(attempt)
    several = len({assignment for assignment, _ in people}) > 1
    latest = {key: sorted(tries, key=lambda one: one.order) for key, tries in people.items()}
    wanted = [
        (f"{tries[-1].assignment}-{tries[-1].id_base}" if several else tries[-1].id_base, "\0".join(key))
        for key, tries in latest.items()
    ]
    found: list[Found] = []
    rows: list[RosterRow] = []
    for chosen, tries in zip(unique_ids(wanted), latest.values(), strict=True):
        one, row = _make_one(chosen, tries, roster)
        found.append(one)
        rows += [row] if row else []
    return tuple(sorted(_note_twins(found), key=lambda one: one.id)), rows


def _make_one(chosen: str, tries: Sequence[Attempt], roster: Roster | None) -> tuple[Found, RosterRow | None]:
    last = tries[-1]
    row = roster.find(last.identity, last.label) if roster else None
    student = fill_in(last.identity, row) if row else last.identity
    group = last.group
    if roster:
        group = tuple(_known(member, roster) for member in group)
        # A team's name stands where a student's does; only the roster can tell them apart.
        group = group or _team(last, row, roster)
    notes = list(last.notes)
    if len(tries) > 1:
        notes.append(f"The latest of {len(tries)} attempts is graded.")
    is_known = row is not None or bool(group and roster and any(roster.find(member) for member in group))
    return (
        Found(
            id=chosen,
            student=student,
            files=_without_repeats(last.files, notes),
            late=last.late,
            attempt=len(tries) + max(last.earlier, 0),
            when=last.when,
            assignment=clean(last.assignment),
            group=group,
            older=tuple(Older(one.files, one.when, one.late) for one in reversed(tries[:-1])),
            notes=tuple(notes),
            on_roster=is_known,
        ),
        row,
    )


def _team(attempt: Attempt, row: RosterRow | None, roster: Roster) -> tuple[Identity, ...]:
    """The members where the attempt bears a team's name, unless its student is known and in no such team."""
    for name in (attempt.identity.name, attempt.label):
        members = roster.group_members(name)
        if members and (row is None or letters(row.group) == letters(name)):
            return members
    return ()


def _known(member: Identity, roster: Roster) -> Identity:
    row = roster.find(member)
    return fill_in(member, row) if row else member


def _without_repeats(files: Sequence[Placed], notes: list[str]) -> tuple[Placed, ...]:
    """Two files that would have one path are both kept: the second lies in a numbered folder."""
    taken: set[str] = set()
    kept: list[Placed] = []
    for placed in files:
        path, number = placed.path, 2
        while path in taken:
            path = f"{number}/{placed.path}"
            number += 1
        if path != placed.path:
            notes.append(f"`{clean(placed.path)}` is there more than once; one is read as `{clean(path)}`.")
        taken.add(path)
        kept.append(replace(placed, path=path))
    return tuple(kept)


def _note_twins(found: Sequence[Found]) -> list[Found]:
    """Say so where different students have one name: nothing but their ids keeps them apart."""
    names: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        if one.student.name:
            names.setdefault((one.assignment, letters(one.student.name)), []).append(one)
    noted: list[Found] = []
    for one in found:
        same = names.get((one.assignment, letters(one.student.name)), []) if one.student.name else []
        others = [f"`{other.id}`" for other in same if other is not one]
        extra = (f"Another submission has the same name: {', '.join(others)}.",) if others else ()
        noted.append(replace(one, notes=(*one.notes, *extra)))
    return noted


def count(found: Sequence[Found], skipped: Sequence[Skipped], entries: int) -> Counts:
    return Counts(
        entries=entries,
        graded=sum(len(one.files) for one in found),
        older=sum(len(older.files) for one in found for older in one.older),
        skipped=len(skipped),
        submissions=len(found),
        older_attempts=sum(len(one.older) for one in found),
        late=sum(1 for one in found if one.late),
        empty=sum(1 for one in found if one.is_empty),
        groups=sum(1 for one in found if one.group),
    )


def without_submission(
    roster: Roster, rows: Sequence[RosterRow], found: Sequence[Found]
) -> tuple[Identity, ...]:
    """The roster's students who handed in nothing, neither alone nor in a group."""
    done = {id(row) for row in rows}
    done |= {id(row) for one in found for member in one.group if (row := roster.find(member))}
    return tuple(row.identity for row in roster.rows if id(row) not in done)
