"""Wrong names answered with near ones, for commands, choices, stems and paths."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from grader.printable import printable


def suggest(name: str, known: Iterable[str], *, list_all: str = "") -> str:
    """A sentence that names what is near to `name`, with a space before it; may be empty.

    With `list_all` (what the names are, e.g. "formats"), all of them follow.
    """
    names = list(known)
    lowered = {candidate.lower(): candidate for candidate in names}
    wanted = name.lower()
    matches = [wanted] if wanted in lowered else difflib.get_close_matches(wanted, lowered, n=2, cutoff=0.5)
    near = [lowered[match] for match in matches]
    answer = f" Did you mean {' or '.join(f'`{match}`' for match in near)}?" if near else ""
    if list_all:
        answer += f" Known {list_all}: {', '.join(names)}."
    return answer


Callback = Callable[[click.Context, click.Parameter, str | None], Any]


def one_of(choices: Sequence[str], plural: str) -> Callback:
    """A click callback that takes only `choices`, and says for a wrong value which are near."""

    def check(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value is None or value in choices:
            return value
        shown = printable(value, 100, one_line=True)
        near = suggest(shown, choices, list_all=plural)
        raise click.UsageError(f"`{shown}` is not one of the {plural}.{near}", ctx)

    return check


def existing_path(ctx: click.Context | None, param: click.Parameter | None, value: str | None) -> Path | None:
    """A click callback: the file or folder as a path; a wrong name is answered with near ones beside it."""
    if value is None:
        return None
    if not value:
        raise click.UsageError(f"{_name(param)} is empty.", ctx)
    path = Path(value).expanduser()
    try:
        if path.exists():
            return path
    except (OSError, ValueError):  # too long, not allowed, or with a NUL: there is no such path
        pass
    shown = printable(value, 300, one_line=True)
    raise click.UsageError(f"`{shown}` does not exist.{_near_path(path)}", ctx)


def _name(param: click.Parameter | None) -> str:
    if isinstance(param, click.Option):
        return f"`{param.opts[-1]}`"
    named = (param.metavar or param.name or "") if param is not None else "DIR"
    return named.strip("[].").upper()


def _near_path(path: Path) -> str:
    """Suggests names beside the first part of `path` that does not exist."""
    wrong = path
    while wrong.parent != wrong and not wrong.parent.is_dir():
        wrong = wrong.parent
    try:
        siblings = [entry.name for entry in wrong.parent.iterdir()]
    except OSError:
        return ""
    prefix = "" if wrong.parent == Path() else f"{wrong.parent}/"
    near = suggest(wrong.name, siblings)
    return near.replace(" `", f" `{prefix}") if near else ""


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """A click callback that refuses NaN and infinity, which every comparison would let through."""
    if value is not None and not abs(value) < float("inf"):
        raise click.UsageError(f"`{param.opts[0]}` takes a finite number, got `{value}`.", ctx)
    return value
