"""Who did what: one row for each act of a person, over one or many submissions; an undo is an act too.

Nothing is taken away. An act that was undone is still there and no longer counts; undoing the undo makes it
count again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import islice
from typing import Any, Literal

from sqlalchemy import Connection, Select, func, insert, select

from grader.classroom.gradebook import tables

Kind = Literal["override", "comment", "done", "regrade", "undo"]
Thing = Literal["points", "comment", "done", "runs"]

IDS_AT_ONCE = 500  # in one statement
_SAMPLE = 5


@dataclass(frozen=True)
class Deed:
    """What somebody is about to do; `what` is a sentence. `made_at` is now unless it says otherwise."""

    kind: Kind
    thing: Thing
    who: str
    what: str
    why: str = ""
    exercise: str = ""
    check: str = ""
    thread: str = ""
    undoes: int | None = None
    made_at: datetime | None = None

    def touches(self, action: Action) -> bool:
        """Are both about the same thing, so that one of them may undo what the other meant?"""
        if self.thing != action.thing or self.thing == "runs":
            return False
        if self.thing == "comment":
            return self.thread == action.thread
        if self.thing == "points":
            is_same = not self.check or not action.check or self.check == action.check
            return self.exercise == action.exercise and is_same
        return True


@dataclass(frozen=True)
class Action:
    """One act. `submissions` counts those that it is about, `sample` has the first of their ids.

    `undone_by` is the act that took it back, if one did that was not taken back itself.
    """

    number: int
    kind: Kind
    thing: Thing
    what: str
    why: str
    who: str
    made_at: datetime
    exercise: str
    check: str
    thread: str
    submissions: int
    sample: tuple[str, ...]
    undoes: int | None = None
    undone_by: int | None = None

    @property
    def can_undo(self) -> bool:
        """A run that was made stays made; all else can be taken back once."""
        return self.thing != "runs" and self.undone_by is None


def record_action(connection: Connection, batch: str, deed: Deed, submissions: Sequence[str]) -> int:
    """Store an act over these submissions and return its number."""
    made = connection.execute(
        insert(tables.actions).values(
            batch=batch,
            kind=deed.kind,
            thing=deed.thing,
            exercise=deed.exercise,
            check_id=deed.check,
            thread=deed.thread,
            what=deed.what,
            why=deed.why,
            who=deed.who,
            made_at=deed.made_at or datetime.now(timezone.utc),
            undoes=deed.undoes,
        )
    )
    key = made.inserted_primary_key
    assert key is not None  # of one row that was inserted
    number: int = key[0]
    rows = [{"batch": batch, "submission": one, "action": number} for one in submissions]
    for part in chunks(rows):
        connection.execute(insert(tables.action_targets), part)
    return number


def chunks(items: Iterable[Any]) -> Iterator[list[Any]]:
    """`items` in lists that are short enough for one statement."""
    source = iter(items)
    while part := list(islice(source, IDS_AT_ONCE)):
        yield part


def last_number(connection: Connection, batch: str) -> int:
    """The number of the last act in a batch; 0 if there was none."""
    actions = tables.actions
    query = select(func.max(actions.c.number)).where(actions.c.batch == batch)
    return connection.execute(query).scalar() or 0


def undone(connection: Connection, batch: str) -> Mapping[int, int]:
    """The acts that do not count, each with the act that took it back."""
    actions = tables.actions
    query = (
        select(actions.c.number, actions.c.undoes)
        .where(actions.c.batch == batch, actions.c.undoes.is_not(None))
        .order_by(actions.c.number.desc())
    )
    found: dict[int, int] = {}
    for number, undoes in connection.execute(query):
        # What undid this one is later, so it has been seen already.
        if number not in found:
            found.setdefault(undoes, number)
    return found


def list_actions(
    connection: Connection,
    batch: str,
    *,
    submission: str | None = None,
    after: int = 0,
    before: int | None = None,
    limit: int | None = None,
) -> tuple[Action, ...]:
    """The acts of a batch, or those about one submission, newest first."""
    actions, targets = tables.actions, tables.action_targets
    query = select(actions).where(actions.c.batch == batch, actions.c.number > after)
    if submission is not None:
        query = query.join(targets, targets.c.action == actions.c.number)
        query = query.where(targets.c.batch == batch, targets.c.submission == submission)
    if before is not None:
        query = query.where(actions.c.number < before)
    return _read(connection, batch, query.order_by(actions.c.number.desc()).limit(limit))


def read_action(connection: Connection, batch: str, number: int) -> Action | None:
    actions = tables.actions
    query = select(actions).where(actions.c.batch == batch, actions.c.number == number)
    return next(iter(_read(connection, batch, query)), None)


def targets_of(connection: Connection, number: int) -> tuple[str, ...]:
    """The ids of the submissions that an act is about."""
    targets = tables.action_targets
    query = select(targets.c.submission).where(targets.c.action == number).order_by(targets.c.submission)
    return tuple(connection.execute(query).scalars())


def _read(connection: Connection, batch: str, query: Select[Any]) -> tuple[Action, ...]:
    rows = connection.execute(query).all()
    gone = undone(connection, batch)
    return tuple(_action(connection, row, gone.get(row.number)) for row in rows)


def _action(connection: Connection, row: Any, undone_by: int | None) -> Action:
    targets = tables.action_targets
    mine = targets.c.action == row.number
    sample = select(targets.c.submission).where(mine).order_by(targets.c.submission).limit(_SAMPLE)
    return Action(
        number=row.number,
        kind=row.kind,
        thing=row.thing,
        what=row.what,
        why=row.why,
        who=row.who,
        made_at=row.made_at,
        exercise=row.exercise,
        check=row.check_id,
        thread=row.thread,
        submissions=connection.execute(select(func.count()).where(mine)).scalar_one(),
        sample=tuple(connection.execute(sample).scalars()),
        undoes=row.undoes,
        undone_by=undone_by,
    )


def meanwhile(
    connection: Connection, batch: str, deed: Deed, submissions: Iterable[str], seen: int
) -> tuple[Action, ...]:
    """What was done after the act number `seen` to the same thing of any of these submissions."""
    wanted = set(submissions)
    later = list_actions(connection, batch, after=seen)
    return tuple(
        action
        for action in later
        if deed.touches(action) and wanted.intersection(targets_of(connection, action.number))
    )
