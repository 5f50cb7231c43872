"""What a TA does: each act is one transaction, over one or many submissions, and can be taken back.

Whoever acts says up to which act they had seen the class (`seen`). If somebody did something to the same
thing since, nothing is written and they are told what; what is about other things goes together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from sqlalchemy import Connection, Engine, select

from grader.classroom.gradebook import Action, Comment, Override, tables
from grader.classroom.gradebook.actions import (
    Deed,
    chunks,
    meanwhile,
    read_action,
    record_action,
    targets_of,
)
from grader.classroom.gradebook.comments import (
    Mark,
    new_thread,
    read_comments,
    revised,
    write_comments,
    write_marks,
)
from grader.classroom.gradebook.overrides import write_override
from grader.classroom.gradebook.standings import refresh
from grader.classroom.gradebook.transactions import writing
from grader.printable import printable
from grader.report.schema import rounded
from grader.report.wording import points_text
from grader.review.desk_records import ConflictError, DeskError, NoSuchSubmission
from grader.review.desk_titles import Titles

MAX_NAME, MAX_REASON, MAX_COMMENT = 200, 4000, 10_000  # characters
MOST_AT_ONCE = 20_000  # submissions
_SAID = 120  # characters of a comment that the history repeats

Write = Callable[[Connection, Sequence[str]], int]


@dataclass(frozen=True)
class Acting:
    """One person about to act on these submissions."""

    engine: Engine
    batch: str
    titles: Titles
    who: str
    submissions: tuple[str, ...]
    seen: int

    def override(self, exercise: str, check: str, points: float | None, why: str) -> Action:
        """Other points for a check, or (`check` empty) for the whole exercise; None: the grader's again."""
        reason = _clean(why, MAX_REASON, "The reason")
        if points is not None and not math.isfinite(points):
            raise DeskError("Points must be a number.")
        given = None if points is None else rounded(points)
        exercise, check = plain(exercise), plain(check)
        where = self._named(exercise, check)
        gave = "back the grader's" if given is None else points_text(given)
        what = f"Gave {gave} points for {where}."
        deed = Deed("override", "points", self.who, what, reason, exercise, check)
        word = Override("", exercise, given, self.who, reason, check or None)

        def write(connection: Connection, ids: Sequence[str]) -> int:
            _check_points(_maxima(connection, self.batch, ids, exercise, check), ids, given, where)
            return write_override(connection, self.batch, ids, word, deed)

        return self._act(deed, write)

    def comment(self, comment: Comment) -> Action:
        """A new comment, the same on each; of `comment` text, place and audience count."""
        text = _clean(comment.text, MAX_COMMENT, "The comment")
        thread = new_thread()
        where = self._place(comment)
        what = f"Commented on {where}: {_cut(text)}"
        deed = Deed("comment", "comment", self.who, what, "", comment.exercise, comment.check, thread)

        def write(connection: Connection, ids: Sequence[str]) -> int:
            number = record_action(connection, self.batch, deed, ids)
            new = revised(comment, text, thread=thread, who=self.who, made_at=_now(), action=number)
            runs = _runs(connection, self.batch, ids)
            write_comments(
                connection, self.batch, (revised(new, text, submission=one, run=runs[one]) for one in ids)
            )
            return number

        return self._act(deed, write)

    def revise(self, thread: str, text: str | None, staff_only: bool | None) -> Action:
        """Put another text over a comment, or (None) withdraw it; what it said before is kept."""
        thread = plain(thread)
        new = "" if text is None else _clean(text, MAX_COMMENT, "The comment")
        what = f"Changed a comment to: {_cut(new)}" if new else "Withdrew a comment."
        deed = Deed("comment", "comment", self.who, what, thread=thread)

        def write(connection: Connection, ids: Sequence[str]) -> int:
            found = [one for one in read_comments(connection, self.batch, ids) if one.thread == thread]
            if len(found) < len(ids):
                raise DeskError("That comment is not there (any more).", hint="Look at the submission again.")
            number = record_action(connection, self.batch, deed, ids)
            changes = {"who": self.who, "made_at": _now(), "action": number}
            if staff_only is not None:
                changes["staff_only"] = staff_only
            write_comments(connection, self.batch, (revised(one, new, **changes) for one in found))
            return number

        return self._act(deed, write)

    def mark(self, is_done: bool) -> Action:
        """Done with it, or not done."""
        deed = Deed("done", "done", self.who, "Marked done." if is_done else "Marked not done.")

        def write(connection: Connection, ids: Sequence[str]) -> int:
            number = record_action(connection, self.batch, deed, ids)
            write_marks(connection, self.batch, ids, Mark(is_done, self.who, _now()), number)
            return number

        return self._act(deed, write)

    def ask_for_regrade(self) -> Action:
        """Only noted: the runs that come of it are kept like all runs."""
        deed = Deed("regrade", "runs", self.who, "Asked for a regrade.")
        return self._act(deed, lambda connection, ids: record_action(connection, self.batch, deed, ids))

    def _act(self, deed: Deed, write: Write) -> Action:
        if not self.submissions:
            raise DeskError("No submission is chosen.", hint="Choose at least one.")
        if len(self.submissions) > MOST_AT_ONCE:
            raise DeskError(f"More than {MOST_AT_ONCE} submissions at once.", hint="Do it in parts.")
        ids = tuple(dict.fromkeys(self.submissions))
        with writing(self.engine, self.batch) as connection:
            _check_known(connection, self.batch, ids)
            return _finish(connection, self, deed, ids, write)

    def _named(self, exercise: str, check: str) -> str:
        title = f"“{self.titles.of(exercise)}”"
        return f"“{self.titles.of(check)}” of {title}" if check else title

    def _place(self, comment: Comment) -> str:
        if comment.path:
            line = f"line {comment.line} of " if comment.line else ""
            return f"{line}`{printable(comment.path, 200, one_line=True)}`"
        return self._named(comment.exercise, comment.check) if comment.exercise else "the whole"


def undo(engine: Engine, batch: str, who: str, number: int, seen: int) -> Action:
    """Take back exactly that act, in all submissions that it was about; of an undo: do it again.

    Raises:
        ConflictError: it was taken back meanwhile, or somebody acted on the same thing.
        DeskError: there is no such act, or it cannot be taken back.
    """
    with writing(engine, batch) as connection:
        action = read_action(connection, batch, number)
        if action is None:
            raise DeskError("There is no such act in this class.")
        if action.undone_by is not None:
            other = read_action(connection, batch, action.undone_by)
            raise ConflictError((other,)) if other is not None else DeskError("It was taken back already.")
        if not action.can_undo:
            raise DeskError(
                "A regrade cannot be taken back.",
                hint="The earlier run is kept; override its points instead.",
            )
        ids = targets_of(connection, number)
        deed = Deed(
            "undo", action.thing, who, _undo_words(connection, batch, action), "",
            action.exercise, action.check, action.thread, number,
        )  # fmt: skip
        acting = Acting(engine, batch, Titles(), who, ids, seen)
        return _finish(
            connection, acting, deed, ids, lambda c, targets: record_action(c, batch, deed, targets)
        )


def _finish(connection: Connection, acting: Acting, deed: Deed, ids: Sequence[str], write: Write) -> Action:
    others = meanwhile(connection, acting.batch, deed, ids, acting.seen)
    if others:
        raise ConflictError(others)
    number = write(connection, ids)
    refresh(connection, acting.batch, ids)
    action = read_action(connection, acting.batch, number)
    assert action is not None  # it was written above
    return action


def _undo_words(connection: Connection, batch: str, action: Action) -> str:
    if action.kind != "undo" or action.undoes is None:
        return f"Took back: {action.what}"
    undone = read_action(connection, batch, action.undoes)
    return f"Did again: {undone.what if undone is not None else ''}"


def _check_known(connection: Connection, batch: str, ids: Sequence[str]) -> None:
    people = tables.submissions
    known = {
        one
        for part in chunks(one for one in ids if one.isprintable())
        for one in connection.execute(
            select(people.c.id).where(people.c.batch == batch, people.c.id.in_(part))
        ).scalars()
    }
    missing = [one for one in ids if one not in known]
    if missing:
        shown = printable(missing[0], 100, one_line=True)
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise NoSuchSubmission(f"There is no submission `{shown}`{more} in this class.")


def _runs(connection: Connection, batch: str, ids: Iterable[str]) -> Mapping[str, str]:
    """The run that counts of each; empty for one that has none."""
    standings = tables.standings
    query = select(standings.c.submission, standings.c.run).where(standings.c.batch == batch)
    parts = (query.where(standings.c.submission.in_(part)) for part in chunks(ids))
    return {one: run or "" for part in parts for one, run in connection.execute(part)}


def _maxima(
    connection: Connection, batch: str, ids: Sequence[str], exercise: str, check: str
) -> Mapping[str, float]:
    """The most points of the exercise or check, by submission; without those whose run has it not."""
    standings = tables.standings
    table = tables.checks if check else tables.exercises
    mine = [table.c.exercise == exercise, table.c.id == check] if check else [table.c.stem == exercise]
    query = (
        select(standings.c.submission, table.c.max_score)
        .join(table, table.c.run == standings.c.run)
        .where(standings.c.batch == batch, *mine)
    )
    parts = (query.where(standings.c.submission.in_(part)) for part in chunks(ids))
    return {one: points for part in parts for one, points in connection.execute(part)}


def _check_points(maxima: Mapping[str, float], ids: Sequence[str], points: float | None, where: str) -> None:
    missing = [one for one in ids if one not in maxima]
    if missing:
        shown = printable(missing[0], 100, one_line=True)
        raise DeskError(
            f"{len(missing)} of {len(ids)} submissions have no {where}, first `{shown}`.",
            hint="Nothing was changed. Choose those that have it.",
        )
    least = min(maxima[one] for one in ids)
    if points is not None and not 0 <= points <= least:
        raise DeskError(f"{where} is worth 0 to {points_text(least)} points, not {points_text(points)}.")


def _clean(text: str, limit: int, what: str) -> str:
    clean = printable(text.strip(), 10 * limit)
    if not clean:
        raise DeskError(f"{what} is empty.", hint="Say it in a few words.")
    if len(clean) > limit:
        raise DeskError(f"{what} has {len(clean)} characters; at most {limit} are kept.")
    return clean


def plain(name: str) -> str:
    """The name of a thing as names are stored."""
    return printable(name, MAX_REASON, one_line=True)


def clean_name(who: str) -> str:
    """The name of who acts, on one line."""
    name = printable(who.strip(), 10 * MAX_NAME, one_line=True)
    if not name or len(name) > MAX_NAME:
        raise DeskError(f"Who acts must be said in 1 to {MAX_NAME} characters.")
    return name


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SAID else f"{line[: _SAID - 1]}…"


def _now() -> datetime:
    return datetime.now(timezone.utc)
