"""Which row of an LMS's file belongs to which student. Nothing is guessed.

A key is compared with the column of its own kind, without case. A student whose keys fit two rows, and a row
that two students fit, stay apart and are listed. A name alone never decides unless the user asks for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.classroom.identities import name_keys
from grader.classroom.records import Identity
from grader.exports.classgrades import Student

KINDS = ("participant", "lms_id", "sis_id", "login", "email")
# Where a submission is only known by the name of its folder, that name may be one of these.
_LABEL_KINDS = ("sis_id", "login", "email")


@dataclass(frozen=True)
class Row:
    """A student's row in an LMS's file; `number` is its place in the file, `keys` what it says by kind."""

    number: int
    shown: str
    keys: Mapping[str, str] = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True)
class Matching:
    """`pairs` by row number. Who has no pair is in one of the lists; reasons are the ends of sentences."""

    pairs: Mapping[int, Student]
    rows_left: tuple[Row, ...]
    students_left: tuple[tuple[Student, str], ...]


def match(rows: Sequence[Row], students: Sequence[Student], *, by_name: bool = False) -> Matching:
    """Pairs rows and students; `by_name` lets a name decide that one row and one student alone have."""
    index = _by_key(rows)
    places = {row.number: row for row in rows}
    wanted: dict[int, list[Student]] = defaultdict(list)
    left: list[tuple[Student, str]] = []
    for student in students:
        fitting = _rows_of(student, index)
        if not fitting and by_name:
            fitting = _rows_by_name(student, rows)
        if len(fitting) == 1 and _is_team(student, places[next(iter(fitting))]):
            left.append((student, "has the number of a row with another name, as a team's may be"))
        elif len(fitting) == 1:
            wanted[next(iter(fitting))].append(student)
        elif fitting:
            left.append((student, f"fits {len(fitting)} rows of the file"))
        else:
            left.append((student, "has no row in the file" + _same_name(student, rows)))
    pairs = {}
    for number, fits in wanted.items():
        if len(fits) == 1:
            pairs[number] = fits[0]
        else:
            left += [(student, f"shares a row with {len(fits) - 1} other submission(s)") for student in fits]
    return Matching(pairs, tuple(row for row in rows if row.number not in pairs), tuple(left))


def _by_key(rows: Sequence[Row]) -> Mapping[tuple[str, str], set[int]]:
    index: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in rows:
        for kind, value in row.keys.items():
            if value:
                index[kind, value.casefold()].add(row.number)
    return index


def _rows_of(student: Student, index: Mapping[tuple[str, str], set[int]]) -> set[int]:
    fitting: set[int] = set()
    for kind, value in keys_of(student.identity).items():
        fitting |= index.get((kind, value.casefold()), set())
    if not fitting and not keys_of(student.identity):
        for kind in _LABEL_KINDS:
            fitting |= index.get((kind, student.submission.casefold()), set())
    return fitting


def keys_of(identity: Identity) -> dict[str, str]:
    """The keys that are known of a student, by kind."""
    return {kind: value for kind in KINDS if (value := getattr(identity, kind))}


def _is_team(student: Student, row: Row) -> bool:
    """Is all that fits a participant's number, and the name another one? Teams are numbered apart."""
    own = keys_of(student.identity)
    fitting = [kind for kind, value in own.items() if row.keys.get(kind, "").casefold() == value.casefold()]
    ours, theirs = name_keys(student.identity.name), name_keys(row.name)
    return fitting == ["participant"] and bool(ours and theirs) and not ours & theirs


def _rows_by_name(student: Student, rows: Sequence[Row]) -> set[int]:
    """Rows of the same name whose keys do not speak against it."""
    wanted, own = name_keys(student.identity.name), keys_of(student.identity)
    return {
        row.number
        for row in rows
        if wanted & name_keys(row.name)
        and all(
            not row.keys.get(kind) or row.keys[kind].casefold() == value.casefold()
            for kind, value in own.items()
        )
    }


def _same_name(student: Student, rows: Sequence[Row]) -> str:
    wanted = name_keys(student.identity.name)
    same = [row.shown for row in rows if wanted & name_keys(row.name)]
    return f"; the name alone fits {same[0]} (see --by-name)" if len(same) == 1 else ""
