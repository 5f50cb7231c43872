"""Submissions that fail an exercise alike, so that one comment or one override serves them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Connection, and_, or_, select

from grader.classroom.gradebook import tables
from grader.classroom.gradebook.actions import chunks
from grader.classroom.gradebook.facts import note_label
from grader.errors import Outcome
from grader.printable import printable
from grader.report.wording import OUTCOME_WORDS
from grader.review.desk_query import Query, chosen
from grader.review.desk_records import Cluster
from grader.review.desk_titles import Titles

MAX_TITLE = 160
# Of these outcomes the error's own words say more than the check's title.
_TELLING = ("raised", "bad_return", "crashed", "missing")

_NOT_BEGUN = "not_attempted"

_standings, _failures = tables.standings, tables.run_failures
_exercises = tables.exercises.alias()  # the table itself stands in the conditions of queries


@dataclass
class _Alike:
    """A cluster while it is put together; `first` is the row of its first member."""

    first: Any
    members: list[str] = field(default_factory=list)
    done: int = 0


def read_clusters(
    connection: Connection, batch: str, titles: Titles, query: Query, least: int
) -> tuple[Cluster, ...]:
    """The clusters among those that fit with at least so many members, largest first.

    Nobody fails an extension that they did not attempt; core exercises that were not attempted come last.
    """
    statement = chosen(
        batch, query, _standings.c.submission, _standings.c.run, _standings.c.is_done,
        _failures.c.exercise, _failures.c.cluster, _failures.c.misconception,
        (_exercises.c.status == _NOT_BEGUN).label("is_untouched"),
    )  # fmt: skip
    statement = statement.join(_failures, _failures.c.run == _standings.c.run)
    same = and_(_exercises.c.run == _failures.c.run, _exercises.c.stem == _failures.c.exercise)
    begun = or_(_exercises.c.track == "core", _exercises.c.status != _NOT_BEGUN)
    statement = statement.join(_exercises, same).where(begun)
    found: dict[str, _Alike] = {}
    for row in connection.execute(statement.order_by(_standings.c.name_key, _standings.c.submission)):
        alike = found.setdefault(row.cluster, _Alike(row))
        alike.members.append(row.submission)
        alike.done += row.is_done
    chosen_ones = [alike for alike in found.values() if len(alike.members) >= least]
    chosen_ones.sort(key=lambda one: _place(one, titles))
    return tuple(_told(connection, chosen_ones, titles))


def _place(one: _Alike, titles: Titles) -> tuple[bool, int, tuple[int, str], str]:
    """What to sort by."""
    return bool(one.first.is_untouched), -len(one.members), titles.place(one.first.exercise), one.members[0]


def _told(connection: Connection, found: Sequence[_Alike], titles: Titles) -> Iterator[Cluster]:
    runs = sorted({alike.first.run for alike in found})
    texts = _texts(connection, runs)
    failing = _failing(connection, runs, titles)
    for alike in found:
        first = alike.first
        checks = failing[first.run, first.exercise]
        text = texts[first.run, first.exercise]
        yield Cluster(
            key=first.cluster,
            exercise=first.exercise,
            exercise_title=titles.of(first.exercise),
            title=_title(checks, first.misconception, text, titles),
            text=text,
            misconception=first.misconception,
            checks=tuple(check for check, _ in checks),
            check_titles=tuple(titles.of(check) for check, _ in checks),
            size=len(alike.members),
            members=tuple(alike.members),
            done=alike.done,
        )


def _texts(connection: Connection, runs: Iterable[str]) -> Mapping[tuple[str, str], str]:
    columns = (_failures.c.run, _failures.c.exercise, _failures.c.text)
    parts = (select(*columns).where(_failures.c.run.in_(part)) for part in chunks(runs))
    return {(row.run, row.exercise): row.text for part in parts for row in connection.execute(part)}


def _failing(
    connection: Connection, runs: Iterable[str], titles: Titles
) -> Mapping[tuple[str, str], list[tuple[str, str]]]:
    """(check, outcome) of what is not passed, by run and exercise, in the assignment's order."""
    checks = tables.checks
    columns = (checks.c.run, checks.c.exercise, checks.c.id, checks.c.outcome)
    parts = (select(*columns).where(checks.c.run.in_(part), tables.NOT_PASSED) for part in chunks(runs))
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for part in parts:
        for row in connection.execute(part):
            found.setdefault((row.run, row.exercise), []).append((row.id, row.outcome))
    for ended in found.values():
        ended.sort(key=lambda one: titles.place(one[0]))
    return found


def _title(checks: Sequence[tuple[str, str]], misconception: str, text: str, titles: Titles) -> str:
    if misconception:
        words = misconception.replace("_", " ")
        return printable(words[:1].upper() + words[1:], MAX_TITLE, one_line=True)
    check, outcome = checks[0]
    first_line = note_label(text.strip().split("\n", 1)[0])  # each of them has it on another line
    if outcome in _TELLING and first_line:
        said = first_line
    else:
        said = f"{titles.of(check)} {OUTCOME_WORDS[cast(Outcome, outcome)]}"
    if len(said) > MAX_TITLE:
        said = f"{said[: MAX_TITLE - 1]}…"
    return printable(said, MAX_TITLE + 40, one_line=True)
