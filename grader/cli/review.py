"""`grade review`."""

from __future__ import annotations

import getpass
import secrets
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from grader.cli._options import batch_folder
from grader.printable import printable

if TYPE_CHECKING:
    from grader.review.desk_accounts import Accounts

_NEEDED = ("fastapi", "uvicorn", "argon2", "jinja2", "pygments")
_TOKEN_BYTES = 32


@click.command("review")
@click.argument("folder", metavar="DIR")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="The port on this machine. Without it: any that is free.",
)
@click.option(
    "--listen",
    metavar="HOST:PORT",
    help="Listen there and not only on this machine. Needs accounts, unless HOST is this machine alone.",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="What people open where a proxy stands in front, as in https://review.example.edu.",
)
@click.option("--read-only", is_flag=True, help="Show everything and change nothing.")
@click.option("--open", "opens_browser", is_flag=True, help="Open the link in this machine's browser.")
@click.option(
    "--as",
    "who",
    metavar="NAME",
    help="The name under which changes are kept where there are no accounts. Without it: your login.",
)
@click.option(
    "--add-user", metavar="NAME", help="Add an account, or give it another password; starts nothing."
)
@click.option("--remove-user", metavar="NAME", help="Take an account away; starts nothing.")
@click.option("--users", "lists_users", is_flag=True, help="List the accounts; starts nothing.")
@click.option("--db", "database", metavar="URL", help="The database of the batch, if it was kept in one.")
def command(folder: str, **choices: Any) -> int:
    """Open the pages on which staff look at the batch in DIR, comment on it and correct it.

    The pages are on this machine only, behind the link that is printed; its token is new each time. With
    accounts (--add-user) people sign in with name and password in place of the link, and --listen lets them
    in from elsewhere: through a proxy that speaks https, see docs/ta.md.

    \b
    Examples:
      grade review week5
      grade review week5 --read-only --port 8000
      grade review week5 --add-user mei
      grade review week5 --listen 127.0.0.1:8000 --public-url https://review.example.edu
    """
    batch = batch_folder(folder)
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise click.UsageError(
            f"`grade review` needs what is not installed here: {', '.join(missing)}. "
            "Install it with `pip install 'attention-grader[review]'`."
        )
    from grader.review.desk_accounts import Accounts

    accounts = Accounts.in_folder(batch)
    if choices["add_user"] is not None:
        return _add_user(accounts, choices["add_user"])
    if choices["remove_user"] is not None:
        accounts.remove(choices["remove_user"])
        print(f"Removed `{printable(choices['remove_user'], one_line=True)}`.")
        return 0
    if choices["lists_users"]:
        print("\n".join(printable(name, one_line=True) for name in accounts.names()) or "No accounts.")
        return 0
    return _serve(batch, accounts, choices)


def _add_user(accounts: Accounts, name: str) -> int:
    """Asks for the password on a terminal; elsewhere the first line of standard input is it."""
    if sys.stdin.isatty():
        password = click.prompt(
            f"Password for {printable(name, 100, one_line=True)}", hide_input=True, confirmation_prompt=True
        )
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    if name in accounts.names():
        accounts.set_password(name, password)
        print(f"`{printable(name, one_line=True)}` has a new password.")
    else:
        accounts.add(name, password)
        print(f"Added `{printable(name, one_line=True)}`.")
    return 0


class _Where(NamedTuple):
    """`public_url` is empty where people open what is listened on."""

    host: str
    port: int
    public_url: str


def _where(choices: dict[str, Any], accounts: Accounts, batch: Path) -> _Where:
    """Where to listen; whatever would let others in without a password is refused."""
    from grader.review.address import LOOPBACK, AddressError, is_loopback, parse_listen, parse_public_url

    if choices["listen"] is not None and choices["port"] is not None:
        raise click.UsageError("--listen names the port already; leave --port out.")
    try:
        host, port = (
            parse_listen(choices["listen"]) if choices["listen"] else (LOOPBACK, choices["port"] or 0)
        )
        public_url = parse_public_url(choices["public_url"]) if choices["public_url"] else ""
    except AddressError as err:
        raise click.UsageError(f"{err.message} {err.hint}") from err
    if not accounts.names() and (public_url or not is_loopback(host)):
        raise click.UsageError(
            "Others could reach these pages, and there are no accounts: add one for each of you with "
            f"`grade review {printable(str(batch), one_line=True)} --add-user NAME`."
        )
    if not public_url and not is_loopback(host):
        raise click.UsageError(
            "Nothing but what people open is answered: name it with --public-url, as in "
            "`--public-url https://review.example.edu`."
        )
    return _Where(host, port, public_url)


def _serve(batch: Path, accounts: Accounts, choices: dict[str, Any]) -> int:
    from grader.review.desk import open_desk
    from grader.review.serving import address_of, listen, serve
    from grader.review.site import Site

    where = _where(choices, accounts, batch)
    with open_desk(batch, choices["database"], read_only=choices["read_only"]) as desk:
        opened = listen(where.host, where.port)
        site = Site(
            desk=desk,
            address=address_of(opened, where.host, where.public_url),
            accounts=accounts,
            token="" if accounts.names() else secrets.token_urlsafe(_TOKEN_BYTES),
            who=choices["who"] or _login(),
            database=choices["database"],
            is_read_only=choices["read_only"],
        )
        serve(site, opened, opens_browser=choices["opens_browser"])
    return 0


def _login() -> str:
    """Who runs this, as the system knows them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may have no name for its user
        return "staff"
