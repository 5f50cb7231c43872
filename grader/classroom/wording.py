"""A discovery in sentences: the layout and why, what was found, what was skipped and why, who is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from grader.classroom.identities import clean
from grader.classroom.layout import find_layouts
from grader.classroom.records import Discovery, Found

OPENING_LINES = 2  # of a description: the layout, and the counts
MAX_NAMED = 5  # of one kind; the rest is counted


def describe_discovery(discovery: Discovery) -> tuple[str, ...]:
    """Lines for a terminal, safe to print; the records hold everything that is only counted here."""
    return tuple(_lines(discovery))


def _lines(discovery: Discovery) -> Iterator[str]:
    layouts = find_layouts()
    titles = [layouts[name].title for name in discovery.layout.split(" and ") if name in layouts]
    yield f"Layout `{discovery.layout}` ({'; '.join(titles)}): {discovery.why}. --layout NAME overrides it."
    counts = discovery.counts
    older = f", {counts.older} in {_number(counts.older_attempts, 'older attempt')}" if counts.older else ""
    skipped = f"{counts.skipped} skipped" if counts.skipped else "nothing skipped"
    yield (
        f"{_number(counts.graded, 'file')} in {_number(counts.submissions, 'submission')}{older}; {skipped}."
    )
    yield from discovery.notes
    yield from _remarkable("late", [one for one in discovery.found if one.late])
    yield from _remarkable("in a group", [one for one in discovery.found if one.group])
    yield from _remarkable("empty", [one for one in discovery.found if one.is_empty])
    yield from _remarkable("with older attempts", [one for one in discovery.found if one.older])
    yield from _skipped(discovery)
    for one in discovery.found:
        yield from (f"`{one.id}`: {note}" for note in one.notes)
    if discovery.not_on_roster:
        yield f"Not on the roster: {_named(discovery.not_on_roster)}."
    if discovery.without_submission:
        people = [student.shown for student in discovery.without_submission]
        yield f"On the roster, without a submission: {_named(people)}."


def _remarkable(what: str, found: Sequence[Found]) -> Iterator[str]:
    if found:
        yield f"{len(found)} {what}: {_named([one.id for one in found])}."


def _skipped(discovery: Discovery) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for one in discovery.skipped:
        reasons.setdefault(one.reason, []).append(one.path)
    for reason, paths in reasons.items():
        verb = "" if len(paths) == 1 else "each "
        yield f"Skipped {_named(paths)}: {verb}{reason}."


def _named(texts: Sequence[str]) -> str:
    return some_of(texts, MAX_NAMED, lambda text: f"`{clean(text)}`")


def some_of(texts: Sequence[str], most: int, show: Callable[[str], str] = str) -> str:
    """The first of them, as `show` writes each, and how many more there are."""
    shown = ", ".join(map(show, texts[:most]))
    return f"{shown} and {len(texts) - most} more" if len(texts) > most else shown


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or f'{one}s'}"
