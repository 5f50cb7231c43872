"""Options that several commands take, and what they may be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli._near import existing_path, suggest
from grader.printable import printable

if TYPE_CHECKING:
    from grader.catalog import Assignment

DEVICES = ("auto", "cpu", "cuda", "mps", "xpu", "pretend")
ISOLATIONS = ("auto", "strict", "process")
LARGEST_SEED = 2**53 - 1  # every JSON reader keeps whole numbers up to here exact


def check_stems(stems: tuple[str, ...], assignment: Assignment) -> None:
    """Refuse names that are no exercise, and say which are near."""
    for stem in stems:
        if stem not in assignment.stems:
            shown = printable(stem, 100, one_line=True)
            near = suggest(stem, assignment.stems, list_all="exercises")
            raise click.UsageError(f"`{shown}` is not an exercise of `{assignment.id}`.{near}")


def batch_folder(name: str) -> Path:
    """A folder that holds a batch; any other is refused, with what is near."""
    path = existing_path(None, None, name)
    if path is None or not (path / "batch.json").is_file():
        shown = printable(name, 300, one_line=True)
        raise click.UsageError(f"`{shown}` holds no batch: it has no `batch.json`.")
    return path


def assignment_option(then: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--assignment DIR`, as `assignment_folder`; `then` says where a command looks last."""
    return click.option(
        "--assignment",
        "assignment_folder",
        callback=existing_path,
        metavar="DIR",
        help="The folder that holds exercises/assignment.toml. Without it: GRADE_ASSIGNMENT, then the "
        f"current folder and those above it{then}.",
    )
