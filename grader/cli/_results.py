"""What `grade submit` and `grade convert` share: the format of a result, its reader, and where it goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.cli._near import suggest
from grader.printable import printable

if TYPE_CHECKING:
    from grader.exports.targets import ResultFormat
    from grader.records import Audience
    from grader.report.schema import Report

AUDIENCES = ("student", "staff")
STANDARD_OUTPUT = "-"
# How names of what students hand in end; a result never takes the place of such a file.
SUBMITTED_ENDINGS = (".py", ".ipynb", ".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst")
_Command = TypeVar("_Command", bound=Callable[..., Any])


def _known_format(ctx: click.Context, param: click.Parameter, value: str) -> str:
    from grader.exports.targets import target_names

    known = target_names("results")
    if value not in known:
        shown = printable(value, 100, one_line=True)
        near = suggest(shown, known, list_all="formats")
        raise click.UsageError(f"`{shown}` is not one of the formats.{near}", ctx)
    return value


def read_pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """A click callback: `NAME=VALUE`, given several times, as a mapping."""
    pairs = {}
    for text in values:
        name, sign, value = text.partition("=")
        if not sign or not name:
            shown = printable(text, 100, one_line=True)
            raise click.UsageError(f"`--with` takes NAME=VALUE, got `{shown}`.", ctx)
        pairs[name] = value
    return pairs


def format_options(*, needs_format: bool) -> Callable[[_Command], _Command]:
    """The options `--format` and `--with`."""
    format_ = click.option(
        "--format",
        "format_",
        callback=_known_format,
        metavar="NAME",
        default=None if needs_format else "json",
        required=needs_format,
        show_default=not needs_format,
        help="How the result is written: json, or as an LMS or CI takes it (gradescope, junit, ...). A "
        "wrong name lists all.",
    )
    settings = click.option(
        "--with",
        "given",
        callback=read_pairs,
        metavar="NAME=VALUE",
        multiple=True,
        help="What a format needs to know beside the result, as in `--with maximum=20`. May be given "
        "several times.",
    )

    def add(command: _Command) -> _Command:
        return format_(settings(command))

    return add


@dataclass(frozen=True)
class Delivery:
    """Where a result goes, in which format, for whom."""

    name: str
    target: ResultFormat
    settings: Mapping[str, str]
    audience: Audience
    output: str

    @property
    def to_stdout(self) -> bool:
        return self.output == STANDARD_OUTPUT

    @property
    def shows_table(self) -> bool:
        """Where a target reads all that is printed, nothing but the document may be."""
        return not self.target.is_log

    def deliver(self, report: Report, root: str = "") -> bool:
        """Write the document; False if the target has none for this report, which the user is told."""
        from grader.exports.request import render
        from grader.exports.targets import NotGradableError, SettingError

        try:
            rendered = render(self.target, report, self.audience, self.settings, root)
        except SettingError as err:
            raise click.UsageError(f"{err.message} {err.hint}".strip()) from err
        except NotGradableError as err:
            self.take_back()
            said = printable(f"{err.message} {err.hint}".strip(), one_line=True)
            print(f"grade: nothing is written for {self.name}: {said}", file=sys.stderr)
            return False
        self._write(rendered.text)
        for variable, text in rendered.appended.items():
            if named := os.environ.get(variable):
                with Path(named).open("a", encoding="utf-8") as handle:
                    handle.write(text)
        return True

    def _write(self, text: str) -> None:
        from grader.report.writing import write_report

        if self.to_stdout:
            sys.stdout.buffer.write(text.encode())
            sys.stdout.flush()
        else:
            write_report(Path(self.output), text)

    def take_back(self) -> None:
        """An older document must not pass for this one; where it cannot be removed, the user is told."""
        if not self.to_stdout:
            remove_older(self.output)


def choose_delivery(
    name: str,
    given: Mapping[str, str],
    audience: Audience | None,
    output: str | None,
    submission: Path | None = None,
) -> Delivery:
    """Everything about the result that can be refused before any grading.

    The result is never written over `submission`, a part of it, or anything that one is made of.
    """
    from grader.exports.request import settle
    from grader.exports.targets import SettingError, load_format

    target = load_format(name)
    try:
        settings = settle(target, given, os.environ)
    except SettingError as err:
        raise click.UsageError(f"{err.message} {err.hint}".strip()) from err
    output = output if output is not None else target.file
    check_output(output)
    spare_code(output, submission)
    return Delivery(name, target, settings, audience or target.audience, output)


def remove_older(output: str) -> None:
    """Remove what an earlier run wrote there; links stay."""
    path = Path(output)
    if path.is_symlink() or not path.is_file():
        return
    try:
        path.unlink()
    except OSError as err:
        shown = printable(output, 300, one_line=True)
        print(f"grade: `{shown}` is an older result and cannot be removed: {err.strerror}.", file=sys.stderr)


def check_output(output: str, option: str = "-o") -> None:
    """Refuse what can be no file of ours."""
    if output == STANDARD_OUTPUT:
        return
    target = Path(output)
    if target.is_dir():
        raise click.UsageError(f"`{output}` is a folder; {option} takes a file.")
    if not target.absolute().parent.is_dir():
        raise click.UsageError(f"`{output}` cannot be written: there is no folder `{target.parent}`.")


def spare_code(output: str, submission: Path | None) -> None:
    """Refuse to write over a submission, or anything that one is made of."""
    if output == STANDARD_OUTPUT:
        return
    target = Path(output).resolve()  # a link is followed when the result is written
    is_kind = target.name.lower().endswith(SUBMITTED_ENDINGS)
    is_part = submission is not None and (
        (target.exists() and target.samefile(submission))
        or (is_kind and target.is_relative_to(submission.resolve()))
    )
    shown = printable(output, 300, one_line=True)
    if is_part:
        raise click.UsageError(
            f"`{shown}` is part of the submission and would be overwritten; name another file."
        )
    if is_kind and target.exists():
        raise click.UsageError(
            f"`{shown}` is code or an archive and would be overwritten; name another file."
        )
