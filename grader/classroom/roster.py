"""The roster: one row per student with all keys, each a string, and the match between rows and submissions.

A key is compared with the column of its own kind. Where the roster has a single `id` column of unknown
kind, that column stands in for the kinds it lacks. A name decides only when nothing else does, and only
when it belongs to one row.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from grader.classroom.identities import clean, letters, name_keys
from grader.classroom.records import Identity
from grader.classroom.roster_csv import participant_number, read_table

_Key = TypeVar("_Key", bound=Hashable)
_KINDS = ("participant", "lms_id", "sis_id", "login", "email")


@dataclass(frozen=True)
class RosterRow:
    """A student of the roster; `key` is the `id` column of unknown kind, `line` the line in the file."""

    identity: Identity
    key: str = ""
    group: str = ""
    line: int = 0


@dataclass(frozen=True)
class Roster:
    """The rows in their order; `columns` maps each meaning that was found to its header."""

    rows: tuple[RosterRow, ...]
    columns: Mapping[str, str]
    path: str = ""
    delimiter: str = ","
    encoding: str = "utf-8"

    @property
    def logins(self) -> frozenset[str]:
        """All that may stand in a file's name as a login: logins, else ids and the front of addresses."""
        if "login" in self.columns:
            return frozenset(row.identity.login for row in self.rows if row.identity.login)
        others = {row.key for row in self.rows} | {row.identity.sis_id for row in self.rows}
        fronts = {row.identity.email.split("@")[0] for row in self.rows}
        return frozenset((others | fronts) - {""})

    def find(self, identity: Identity, label: str = "") -> RosterRow | None:
        """The one row of this student; None if there is none or more than one fits equally well."""
        for kind in _KINDS:
            value = getattr(identity, kind)
            # A participant's number belongs to one assignment and is never anybody's id.
            index = kind if kind in self._kinds or kind == "participant" else "key"
            if value and (row := _only(self._by_key.get((index, value.casefold()), ()))):
                return row
        if label:
            for kind in (*_KINDS, "key"):
                if row := _only(self._by_key.get((kind, label.casefold()), ())):
                    return row
        for name in (identity.name, label):
            rows = {id(row): row for key in name_keys(name) for row in self._by_name.get(key, ())}
            row = _only(tuple(rows.values()))
            if row is not None and not _contradicts(identity, row):
                return row
        return None

    def group_members(self, group: str) -> tuple[Identity, ...]:
        """The students of the group or team of that name; without case, spaces and signs."""
        wanted = letters(group)
        return tuple(row.identity for row in self.rows if wanted and letters(row.group) == wanted)

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The kinds of keys that some row has."""
        return frozenset(kind for kind in _KINDS if any(getattr(row.identity, kind) for row in self.rows))

    @cached_property
    def _by_key(self) -> Mapping[tuple[str, str], tuple[RosterRow, ...]]:
        pairs = [
            ((kind, value.casefold()), row)
            for row in self.rows
            for kind in (*_KINDS, "key")
            if (value := row.key if kind == "key" else getattr(row.identity, kind))
        ]
        return _group(pairs)

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[RosterRow, ...]]:
        return _group((key, row) for row in self.rows for key in name_keys(row.identity.name))


def load_roster(path: Path) -> Roster:
    """Read a roster from a CSV file.

    Raises:
        DiscoveryError: it cannot be read, or no column says who a student is.
    """
    table = read_table(path)
    rows = tuple(_make_row(line, row) for line, row in table.rows)
    return Roster(rows, table.columns, str(path), table.delimiter, table.encoding)


def fill_in(found: Identity, row: RosterRow) -> Identity:
    """The student as the roster writes it; what it does not say stays as found."""
    known = row.identity
    filled = {kind: getattr(known, kind) or getattr(found, kind) for kind in (*_KINDS, "name", "section")}
    if not filled["sis_id"] and row.key != filled["lms_id"]:
        filled["sis_id"] = row.key
    return replace(found, **filled)


def _make_row(line: int, row: Mapping[str, str]) -> RosterRow:
    name = row.get("name") or " ".join(part for part in (row.get("first"), row.get("last")) if part)
    lms_id, key = row.get("lms_id", ""), row.get("id", "")
    participant = participant_number(key) or row.get("participant", "")
    if participant_number(key):
        key = ""
    # Brightspace puts `#` before ids and user names so that spreadsheets leave them alone.
    sis_id, login = (row.get(kind, "").removeprefix("#") for kind in ("sis_id", "login"))
    identity = Identity(
        name=clean(name),
        login=clean(login),
        participant=clean(participant),
        lms_id=clean(lms_id),
        sis_id=clean(sis_id),
        email=clean(row.get("email", "")),
        section=clean(row.get("section", "")),
    )
    return RosterRow(identity, clean(key), clean(row.get("group", "")), line)


def _contradicts(found: Identity, row: RosterRow) -> bool:
    """Do both have a key of one kind, with different values? Then they share no more than a name."""
    pairs = [(getattr(found, kind), getattr(row.identity, kind)) for kind in _KINDS]
    return any(ours and theirs and ours.casefold() != theirs.casefold() for ours, theirs in pairs)


def _only(rows: tuple[RosterRow, ...]) -> RosterRow | None:
    return rows[0] if len(rows) == 1 else None


def _group(pairs: Iterable[tuple[_Key, RosterRow]]) -> dict[_Key, tuple[RosterRow, ...]]:
    grouped: dict[_Key, list[RosterRow]] = {}
    for key, row in pairs:
        grouped.setdefault(key, []).append(row)
    return {key: tuple(rows) for key, rows in grouped.items()}
