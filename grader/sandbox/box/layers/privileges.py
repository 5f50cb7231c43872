"""Rights that a process gives up for itself: no new privileges, not dumpable, dies with its parent.

Template and workers share a user. A dumpable process of the same user can be traced and read, so a
worker could stop the template or read its memory; a process that outlives the grader would go on running
student code.
"""

from __future__ import annotations

import os
import signal

from . import libc
from .report import Layer, describe_failure

EXIT_ORPHANED = 70


def harden_template() -> Layer:
    """Make the template untraceable and mortal; first thing after its start, before it imports torch.

    The parent-death signal follows the *thread* that started this process.
    """
    try:
        libc.prctl(libc.PR_SET_DUMPABLE, 0)
        libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
    except OSError as err:
        return Layer("privileges", False, describe_failure(err))
    return Layer("privileges", True, "template: not dumpable, dies with the grader")


def harden_worker(parent_pid: int, keep: tuple[int, ...] = ()) -> Layer:
    """Give up everything that this process could still gain or be traced by.

    Call it after the user was changed: that clears the parent-death signal. `keep` lists capabilities
    that `uid` still needs. Exits with `EXIT_ORPHANED` if the parent is already dead.
    """
    try:
        libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent_pid:  # it died before the line above: nobody would ever stop us
            os._exit(EXIT_ORPHANED)
        libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
        libc.set_capabilities(*keep)
        libc.prctl(libc.PR_SET_DUMPABLE, 0)
    except OSError as err:
        return Layer("privileges", False, describe_failure(err))
    return Layer(
        "privileges", True, "no new privileges, no capabilities, not dumpable, dies with the template"
    )


def drop_capabilities() -> None:
    """Give up the capabilities that `harden_worker` kept. Raises: OSError."""
    libc.set_capabilities()
