"""The command group: finds a subcommand's file when it is called, and no other."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import click

from grader import __version__
from grader.cli._near import suggest
from grader.printable import printable


class CommandsByName(click.Group):
    """Every module of `grader.cli` without a leading underscore is a subcommand: its `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        here = [str(Path(__file__).parent)]
        return sorted(module.name for module in pkgutil.iter_modules(here) if not module.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"grader.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known:
            shown = printable(args[0], 100, one_line=True)
            raise click.UsageError(
                f"There is no command `{shown}`." + suggest(shown, known, list_all="commands"), ctx
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as err:
            raise click.Abort() from err  # click's own handling would print an empty line first


@click.group(
    cls=CommandsByName,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="grade", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Grade PyTorch exercises about attention: fair, safe and fast.

    \b
    Start here:
      grade check           check your own work with the public checks, again and again with --watch
      grade submit PATH     grade one submission and write results.json
      grade doctor          what this machine can do, and what is missing

    \b
    Exit codes: 0 the grader worked, whatever the score; 1 the score is below --fail-under;
    2 wrong usage, also when no assignment is found (nothing is written); 3 the grader could not
    grade (never a zero, and no older result stays in its place); 130 interrupted.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
