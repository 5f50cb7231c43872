"""`grade doctor`."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("doctor")
def command() -> None:
    """Show versions, devices and isolation, and name what is missing.

    Starts the sandbox once, without any submission, and says in sentences what student code can and
    cannot do on this machine. Look here first when a report says that a layer is missing.
    """
    from grader.catalog import find_assignment
    from grader.errors import AssignmentError
    from grader.pipeline import describe_environment
    from grader.report.doctor import print_environment

    try:
        assignment = find_assignment(None, Path.cwd())
    except AssignmentError:
        assignment = None  # the machine can be looked at without one
    print_environment(describe_environment(assignment), sys.stdout)
