"""The `grade` command: one file per subcommand here, found by name. Heavy imports wait until needed."""

from grader.cli._main import cli

__all__ = ["cli"]
