"""`--html`: where the page of a result goes, and how it gets there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._results import STANDARD_OUTPUT, check_output, remove_older, spare_code

if TYPE_CHECKING:
    from grader.pipeline import GradeResult
    from grader.records import Audience

PAGE_FILE = "results.html"


@dataclass(frozen=True)
class PageDelivery:
    """Where the page goes; `output` is empty if none is asked for."""

    output: str = ""

    def write(self, result: GradeResult, audience: Audience) -> bool:
        """Draw and write the page; False if none is asked for."""
        if not self.output:
            return False
        from grader.report.html import render_page
        from grader.report.writing import write_report

        write_report(Path(self.output), render_page(result.report, audience, result.sources))
        return True

    def take_back(self) -> None:
        """An older page must not pass for this one."""
        if self.output:
            remove_older(self.output)


def choose_page(html: str | None, result: str, submission: Path) -> PageDelivery:
    """Everything about the page that can be refused before any grading; `result` is where the result goes."""
    if html is None:
        return PageDelivery()
    if html == STANDARD_OUTPUT:
        raise click.UsageError("`--html` takes a file; standard output is for `-o -`.")
    check_output(html, "--html")
    spare_code(html, submission)
    if result != STANDARD_OUTPUT and Path(html).resolve() == Path(result).resolve():
        raise click.UsageError(f"`{html}` is where the result goes; name another file for the page.")
    return PageDelivery(html)


def require_path(path: Path | None, html: str | None) -> Path:
    """The submission; `--html` in front of it has taken it for its own file."""
    if path is not None:
        return path
    if html not in (None, PAGE_FILE):
        raise click.UsageError(
            f"No submission is named: `--html` takes `{html}` as the page's file. Name the submission first: "
            "`grade submit PATH --html`."
        )
    context = click.get_current_context()
    argument = next(param for param in context.command.params if param.name == "path")
    raise click.MissingParameter(ctx=context, param=argument)
