"""`grade push`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.cli._near import existing_path, suggest
from grader.cli._options import batch_folder
from grader.printable import printable

if TYPE_CHECKING:
    from grader.exports.classgrades import ClassGrades
    from grader.push.class_push import ClassPush, Pushed
    from grader.push.ledger import Ledger
    from grader.push.lti_access import LtiAccess

EXIT_NOT_SENT = 3
LINES_SHOWN = 30
_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Targets(click.Group):
    """Answers a wrong target with near ones."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known:
            shown = printable(args[0], 100, one_line=True)
            near = suggest(shown, known, list_all="targets")
            raise click.UsageError(f"`{shown}` is not one of the targets.{near}", ctx)
        return super().resolve_command(ctx, args)


@click.group("push", cls=_Targets, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Send the grades of a batch to an LMS: shows what it would send, and sends with --yes.

    The grades are those that count, with every change by staff. Who needs a regrade keeps what the LMS has:
    never a zero. A ledger in DIR/push/ sees to it that a second run sends only what changed.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _shared(chosen: _Command) -> _Command:
    """The options of all targets, and the folder."""
    options = (
        click.argument("folder", metavar="DIR"),
        click.option("-y", "--yes", is_flag=True, help="Send. Without it nothing but reading is done."),
        click.option("--scale", is_flag=True, help="Convert points where the LMS has another maximum."),
        click.option(
            "--by-name",
            is_flag=True,
            help="Let a name decide that one person there and one submission alone have, where no id does.",
        ),
        click.option(
            "--overwrite", is_flag=True, help="Replace grades that were changed in the LMS by hand."
        ),
        click.option("--no-comments", is_flag=True, help="Send no comments."),
        click.option("--db", "database", metavar="URL", help="The database of the batch, if kept in one."),
        click.option("-q", "--quiet", is_flag=True, help="Say only what was not sent, and why."),
    )
    for option in reversed(options):
        chosen = option(chosen)
    return chosen


@command.command("canvas")
@click.option("--url", metavar="URL", envvar="CANVAS_URL", required=True, help="Or the variable CANVAS_URL.")
@click.option("--course", metavar="ID", required=True, help="The number in the course's address.")
@click.option("--assignment", metavar="ID", required=True, help="The number in the assignment's address.")
@click.option(
    "--token-file",
    callback=existing_path,
    metavar="FILE",
    help="A file of mode 0600 with the access token. Without it: the variable CANVAS_TOKEN.",
)
@click.option("--no-files", is_flag=True, help="Attach no feedback pages.")
@_shared
def canvas(folder: str, **choices: Any) -> int:
    """Send scores, comments and feedback pages to a Canvas assignment.

    \b
    Example:
      grade push canvas week5 --url https://canvas.example.edu --course 42 --assignment 4101
    """
    with _needs("canvas"):
        from grader.push.canvas import CanvasDoor
    from grader.push.class_push import ClassPush
    from grader.push.credentials import read_secret
    from grader.push.planning import Wishes

    path, grades = _read(folder, choices)
    token = read_secret("Canvas token", choices["token_file"], "CANVAS_TOKEN", os.environ)
    door = CanvasDoor(choices["url"], token, course=choices["course"], assignment=choices["assignment"])
    facts = door.facts()
    wishes = Wishes(facts.maximum, files=not choices["no_files"], **_wishes(choices))
    ledger = _ledger(path, "canvas", door.destination)
    push = ClassPush(
        grades, door, ledger, wishes, key="lms_id", needs_standing=True, by_name=choices["by_name"]
    )
    return _carry_out(push, door.roster(), choices, f"`{facts.name}` in Canvas")


@command.command("lti")
@click.option("--token-url", metavar="URL", envvar="LTI_TOKEN_URL", required=True, help="LTI_TOKEN_URL.")
@click.option("--client-id", metavar="ID", envvar="LTI_CLIENT_ID", required=True, help="LTI_CLIENT_ID.")
@click.option(
    "--key-id", metavar="ID", envvar="LTI_KEY_ID", required=True, help="Our key's `kid`. LTI_KEY_ID."
)
@click.option(
    "--key-file",
    callback=existing_path,
    metavar="FILE",
    help="A file of mode 0600 with the private key (PEM). Without it: the variable LTI_KEY.",
)
@click.option("--audience", metavar="TEXT", envvar="LTI_AUDIENCE", help="If it is not the token's address.")
@click.option("--line-items", metavar="URL", help="The launch's `lineitems`: ours is found there, or made.")
@click.option("--line-item", metavar="URL", help="The launch's `lineitem`, if the assignment has one.")
@click.option("--label", metavar="TEXT", help="The line item's label. Without it: the assignment's id.")
@click.option(
    "--users",
    callback=existing_path,
    metavar="FILE",
    required=True,
    help="A CSV file: a column `user` (the launch's `sub`), and lms_id, sis_id, login, email or name.",
)
@click.option("--canvas", "is_canvas", is_flag=True, help="Ask Canvas to make no new attempt.")
@_shared
def lti(folder: str, **choices: Any) -> int:
    """Send scores to an LTI 1.3 platform by its Assignment and Grade Services.

    \b
    Example:
      grade push lti week5 --line-items https://lms.example.edu/ctx/1/lineitems --users users.csv
    """
    with _needs("lti"):
        from grader.push.lti import LtiDoor
        from grader.push.lti_access import LtiAccess, Registration
    from grader.push.class_push import ClassPush
    from grader.push.credentials import check_address, read_secret
    from grader.push.planning import Wishes
    from grader.push.roster import read_users

    path, grades = _read(folder, choices)
    if bool(choices["line_items"]) == bool(choices["line_item"]):
        raise click.UsageError("Name either `--line-items` or `--line-item`.")
    service = check_address(choices["line_items"] or choices["line_item"], "address of the grade service")
    token_address = check_address(choices["token_url"], "token's address")
    key = read_secret("private key", choices["key_file"], "LTI_KEY", os.environ)
    registration = Registration(
        token_address, choices["client_id"], choices["key_id"], key, choices["audience"] or ""
    )
    access = LtiAccess(registration, service)
    try:
        item = _line_item(access, service, grades, choices)
        if item is None:
            return 0
        door = LtiDoor(access, item, is_canvas=choices["is_canvas"])
        wishes = Wishes(door.maximum, files=False, **_wishes(choices))
        ledger = _ledger(path, "lti", door.destination)
        push = ClassPush(grades, door, ledger, wishes, key="user", by_name=choices["by_name"])
        return _carry_out(push, read_users(choices["users"]), choices, "the line item")
    finally:
        access.close()


def _line_item(
    access: LtiAccess, service: str, grades: ClassGrades, choices: dict[str, Any]
) -> dict[str, Any] | None:
    """The line item to send to; None if it would have to be made and nothing is to be sent."""
    from grader.push.lti import create_line_item, find_line_item, read_line_item

    if choices["line_item"]:
        return read_line_item(access, service)
    label = choices["label"] or grades.assignment
    found = find_line_item(access, service, resource=grades.assignment, label=label)
    if found is not None:
        return found
    maximum = max((student.max_score for student in grades.students), default=0.0)
    if maximum <= 0:
        raise click.UsageError("The batch holds no grade, so there is nothing to make a line item for.")
    if not choices["yes"]:
        shown = printable(label, 100, one_line=True)
        print(
            f"There is no line item `{shown}`: --yes would make it ({maximum:g} points) and send all grades."
        )
        return None
    return create_line_item(access, service, resource=grades.assignment, label=label, maximum=maximum)


@contextmanager
def _needs(extra: str) -> Iterator[None]:
    """An import may fail for want of an extra, which is then named."""
    try:
        yield
    except ModuleNotFoundError as err:
        if (err.name or "grader").partition(".")[0] == "grader":
            raise
        hint = f"pip install 'attention-grader[{extra}]'"
        raise click.UsageError(f"This needs the package `{err.name}`: {hint}.") from err


def _read(folder: str, choices: dict[str, Any]) -> tuple[Path, ClassGrades]:
    from grader.exports.classgrades import read_class

    path = batch_folder(folder)
    return path, read_class(path, choices["database"])


def _wishes(choices: dict[str, Any]) -> dict[str, bool]:
    return {
        "scale": choices["scale"],
        "overwrite": choices["overwrite"],
        "comments": not choices["no_comments"],
    }


def _ledger(path: Path, target: str, destination: str) -> Ledger:
    from grader.push.ledger import FOLDER, Ledger

    return Ledger(path / FOLDER / f"{target}.jsonl", destination)


def _carry_out(push: ClassPush, roster: list[Any], choices: dict[str, Any], where: str) -> int:
    pushed = push.send(roster) if choices["yes"] else push.preview(roster)
    _say(pushed, where, quiet=choices["quiet"])
    done = pushed.delivered
    return EXIT_NOT_SENT if done is not None and (done.failed or done.stopped) else 0


def _say(pushed: Pushed, where: str, *, quiet: bool) -> None:
    """The counts on standard output; what was not sent, and why, on standard error."""
    plan, done = pushed.plan, pushed.delivered
    if not quiet:
        if done is None:
            _list("Would send", [_line(step) for step in plan.steps], sys.stdout)
        count = len(plan.steps) if done is None else done.sent
        verb = "would be sent" if done is None else "sent"
        print(f"To {where}: {count} {verb}, {plan.same} had everything already, {len(plan.kept)} kept.")
        if done is None and plan.steps:
            print("Nothing was sent; add --yes to send.")
    _list("Kept", [f"{kept.who}: {kept.reason}" for kept in plan.kept], sys.stderr)
    _list("Without a submission", [row.shown for row in pushed.matching.rows_left], sys.stderr)
    left = [f"{student.shown}: {reason}" for student, reason in pushed.matching.students_left]
    _list("Submissions of nobody there", left, sys.stderr)
    if done is not None:
        _list("Failed", [f"{kept.who}: {kept.reason}" for kept in done.failed], sys.stderr)
        if done.stopped is not None:
            said = printable(f"{done.stopped.message} {done.stopped.hint}".strip(), one_line=True)
            print(f"grade: stopped, {len(plan.steps) - done.sent} not sent: {said}", file=sys.stderr)


def _line(step: Any) -> str:
    parts = [f"`{step.before}` -> `{step.entry.grade}`"] if step.sends_grade else []
    parts += ["comment"] if step.comment else []
    parts += ["feedback page"] if step.page else []
    return f"{step.who}: {', '.join(parts)}"


def _list(title: str, lines: list[str], stream: Any) -> None:
    if not lines:
        return
    print(f"{title} ({len(lines)}):", file=stream)
    for line in lines[:LINES_SHOWN]:
        print(f"  {printable(line, 500, one_line=True)}", file=stream)
    if len(lines) > LINES_SHOWN:
        print(f"  and {len(lines) - LINES_SHOWN} more", file=stream)
