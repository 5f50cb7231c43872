"""`grade convert`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._near import existing_path, one_of
from grader.cli._results import AUDIENCES, choose_delivery, format_options
from grader.exports.targets import target_names
from grader.printable import printable

if TYPE_CHECKING:
    from grader.records import Audience
    from grader.report.schema import Report

EXIT_NOT_GRADED = 3


@click.command("convert")
@click.argument("path", metavar="RESULT", callback=existing_path)
@format_options(needs_format=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE|-",
    default="-",
    show_default=True,
    help="Where the document goes; `-` prints it.",
)
@click.option(
    "--audience",
    callback=one_of(AUDIENCES, "audiences"),
    metavar="WHO",
    help="For whom the document is. Without it: students, except for json, which is for staff.",
)
@click.option("--root", metavar="DIR", default="", help="The folder that the result's paths are relative to.")
def command(
    path: Path,
    format_: str,
    given: dict[str, str],
    output: str,
    audience: Audience | None,
    root: str,
) -> int:
    """Write the results.json RESULT in another format.

    \b
    Examples:
      grade convert results.json --format junit -o junit.xml
      grade convert week5/results/ada.json --format gradescope
      grade convert results.json --format lti-ags --with user=5323497 --with maximum=20

    Formats: {formats}.

    Exit code 3: there is no score, and this format has no document that says so; nothing is written then.
    """
    delivery = choose_delivery(format_, given, audience, output)
    report = _read(path)
    if not delivery.deliver(report, root):
        return EXIT_NOT_GRADED
    return EXIT_NOT_GRADED if report.score is None and not delivery.target.ends_well else 0


command.help = (command.help or "").format(formats=", ".join(target_names("results")))


def _read(path: Path) -> Report:
    from pydantic import ValidationError

    from grader.report.writing import read_report

    shown = printable(str(path), one_line=True)
    try:
        return read_report(path.read_bytes().decode())
    except OSError as err:
        raise click.UsageError(f"`{shown}` cannot be read: {err.strerror}.") from err
    except (ValidationError, UnicodeDecodeError) as err:
        detail = err.errors()[0]["msg"] if isinstance(err, ValidationError) else "it is not UTF-8"
        reason = printable(detail, 200, one_line=True)
        raise click.UsageError(f"`{shown}` is no results.json of this grader: {reason}.") from err
