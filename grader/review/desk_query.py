"""Which submissions, in which order: what a TA asks for, and the SQL that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

from sqlalchemy import ColumnElement, Select, and_, exists, func, select

from grader.classroom.gradebook import tables
from grader.errors import Outcome
from grader.printable import printable
from grader.review.desk_records import DeskError

PER_PAGE = 50
MOST_PER_PAGE = 500
_MAX_TEXT = 500
_YES_NO = {"yes": True, "no": False}

_standings, _people = tables.standings, tables.submissions
_SORTS: Mapping[str, tuple[ColumnElement[Any], ...]] = {
    "name": (_standings.c.name_key,),
    "id": (),
    "score": (_standings.c.score,),
    "status": (_standings.c.status,),
    "submitted": (_people.c.submitted,),
    "section": (_people.c.section,),
    "done": (_standings.c.is_done,),
}
SORTS = tuple(_SORTS)
OUTCOMES: tuple[str, ...] = get_args(Outcome)


@dataclass(frozen=True)
class Query:
    """What to list. Everything that is given must hold; empty and None mean "whatever it is".

    `search` finds parts of ids, names, logins, addresses, numbers and members of groups, each word of it.
    `exercise` alone: it has not its full points from the grader; with `outcome`: one of its checks ended so.
    `check` alone: it is not passed; with `outcome`: it ended so. `note` and `cluster` are as the desk lists
    them. `status` is that of the run that counts, or `not_graded`.
    """

    search: str = ""
    sort: str = "name"
    descending: bool = False
    exercise: str = ""
    check: str = ""
    outcome: str = ""
    misconception: str = ""
    note: str = ""
    status: str = ""
    cluster: str = ""
    done: bool | None = None
    overridden: bool | None = None
    commented: bool | None = None
    page: int = 1
    per_page: int = PER_PAGE

    def __post_init__(self) -> None:
        if self.sort not in _SORTS:
            raise DeskError(f"Nothing is sorted by `{_shown(self.sort)}`.", hint=f"By: {', '.join(SORTS)}.")
        if self.outcome and self.outcome not in OUTCOMES:
            raise DeskError(
                f"`{_shown(self.outcome)}` is no outcome of a check.",
                hint=f"They are: {', '.join(OUTCOMES)}.",
            )
        if not 1 <= self.page <= 1_000_000:
            raise DeskError(f"There is no page {self.page}.")
        if not 1 <= self.per_page <= MOST_PER_PAGE:
            raise DeskError(f"A page has 1 to {MOST_PER_PAGE} lines, not {self.per_page}.")

    @classmethod
    def from_params(cls, params: Mapping[str, str]) -> Query:
        """The query that an address's parameters say; unknown ones are passed over.

        Raises:
            DeskError: one has a value that it cannot have.
        """
        given: dict[str, Any] = {}
        for field in fields(cls):
            if text := params.get(field.name, "").strip():
                given[field.name] = _READERS[str(field.type)](field.name, text[:_MAX_TEXT])
        return cls(**given)

    def params(self, **changes: Any) -> dict[str, str]:
        """The parameters of an address that says this query, changed; only what is not the default."""
        changed, default = replace(self, **changes), Query()
        found = {}
        for field in fields(self):
            value = getattr(changed, field.name)
            if value != getattr(default, field.name):
                found[field.name] = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        return found

    @property
    def is_filtered(self) -> bool:
        """Does it leave anybody out?"""
        return replace(self, sort="name", descending=False, page=1, per_page=PER_PAGE) != Query()


def _shown(text: str) -> str:
    return printable(text, 80, one_line=True)


def _read_text(name: str, text: str) -> str:
    return text


def _read_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise DeskError(f"`{name}` takes a whole number, got `{_shown(text)}`.")
    return int(text[:10])


def _read_answer(name: str, text: str) -> bool:
    if text not in _YES_NO:
        raise DeskError(f"`{name}` takes yes or no, got `{_shown(text)}`.")
    return _YES_NO[text]


# By the annotation of the field.
_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "str": _read_text,
    "int": _read_number,
    "bool": _read_answer,
    "bool | None": _read_answer,
}


def _plain(text: str) -> str:
    """As texts are stored; others would be an error to some databases, and fit nothing."""
    return printable(text, _MAX_TEXT, one_line=True)


def chosen(batch: str, query: Query, *columns: ColumnElement[Any]) -> Select[Any]:
    """These columns of every submission that fits, in no order."""
    return (
        select(*columns)
        .select_from(_standings)
        .join(_people, and_(_people.c.batch == _standings.c.batch, _people.c.id == _standings.c.submission))
        .where(_standings.c.batch == batch, *_conditions(query))
    )


def in_order(statement: Select[Any], query: Query) -> Select[Any]:
    """As the query sorts: who has no score comes last, equal ones go by name and id."""
    by = list(_SORTS[query.sort])
    ordered: list[ColumnElement[Any]] = [_standings.c.score.is_(None)] if query.sort == "score" else []
    ordered += [column.desc() if query.descending else column for column in by]
    last: ColumnElement[Any] = _standings.c.submission
    if query.sort != "id":
        ordered.append(_standings.c.name_key)
    elif query.descending:
        last = last.desc()
    return statement.order_by(*ordered, last)


def _conditions(query: Query) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [
        _standings.c.search_key.contains(word, autoescape=True)
        for word in _plain(query.search).casefold().split()
    ]
    if query.status:
        found.append(_standings.c.status == _plain(query.status))
    if query.done is not None:
        found.append(_standings.c.is_done.is_(query.done))
    if query.overridden is not None:
        found.append(_standings.c.is_overridden.is_(query.overridden))
    if query.commented is not None:
        found.append((_standings.c.comments > 0).is_(query.commented))
    if query.note:
        notes = tables.run_notes
        found.append(exists().where(notes.c.run == _standings.c.run, notes.c.label == _plain(query.note)))
    if query.cluster:
        alike = tables.run_failures.alias()  # a listing of clusters has the table itself
        found.append(
            exists().where(alike.c.run == _standings.c.run, alike.c.cluster == _plain(query.cluster))
        )
    return [*found, *_check_conditions(query)]


def _check_conditions(query: Query) -> list[ColumnElement[bool]]:
    checks = tables.checks
    found: list[ColumnElement[bool]] = []
    of_run = checks.c.run == _standings.c.run
    if query.misconception:
        found.append(
            exists().where(of_run, tables.NOT_PASSED, checks.c.misconception == _plain(query.misconception))
        )
    if query.exercise and not query.check and query.outcome in ("", "passed"):
        found.append(_exercise_condition(query))
    elif query.exercise or query.check or query.outcome:
        where = [of_run]
        if query.exercise:
            where.append(checks.c.exercise == _plain(query.exercise))
        if query.check:
            where.append(checks.c.id == _plain(query.check))
        if query.outcome:
            where.append(checks.c.outcome == query.outcome)
        if query.outcome != "passed":
            where.append(tables.NOT_PASSED)
        found.append(exists().where(*where))
    return found


def _exercise_condition(query: Query) -> ColumnElement[bool]:
    exercises = tables.exercises
    has_all = func.coalesce(exercises.c.score, -1.0) >= exercises.c.max_score
    return exists().where(
        exercises.c.run == _standings.c.run,
        exercises.c.stem == _plain(query.exercise),
        has_all if query.outcome == "passed" else ~has_all,
    )
