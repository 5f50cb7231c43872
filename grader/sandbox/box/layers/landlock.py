"""File access rules (Landlock): read the interpreter's and torch's own files, write nothing.

The only module that knows the library (landlockpy). The ruleset is built once, in the template; a worker
only enforces it. Landlock stops neither stat() nor descriptors that are already open.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from .report import Layer

# Descriptors below are left to the worker's channel and output.
LOWEST_DESCRIPTOR = 200
# A student may redirect output there; it keeps nothing.
WRITABLE = ("/dev/null",)


class PreparedLandlock(NamedTuple):
    """A ruleset that waits to be enforced. `ruleset` is a landlockpy.Ruleset that owns `descriptor`."""

    ruleset: Any
    descriptor: int
    detail: str


def kernel_version() -> int:
    """The Landlock version of this kernel; 0 if it has none. Raises: ImportError, OSError."""
    import landlockpy

    return landlockpy.abi_version()


def prepare(read_paths: Sequence[str], device_nodes: Sequence[str] = ()) -> PreparedLandlock:
    """Build the ruleset; paths that do not exist are left out.

    `device_nodes` are an accelerator's: read, written and controlled by its driver's library.

    Raises: ImportError without the library; OSError where the kernel has no Landlock.
    """
    import landlockpy

    version = kernel_version()
    if version == 0:
        raise OSError("this kernel has no Landlock, or it is not enabled (needs Linux 5.13, lsm=landlock)")
    ruleset = _new_ruleset(landlockpy)
    access = landlockpy.AccessFS
    for path in sorted({os.path.realpath(path) for path in read_paths if os.path.exists(path)}):
        rights = access.READ_FILE
        if os.path.isdir(path):
            rights |= access.READ_DIR
        if path in WRITABLE:
            rights |= access.WRITE_FILE
        ruleset.allow_path(path, rights)
    for path in sorted(path for path in device_nodes if os.path.exists(path)):
        rights = access.READ_FILE | access.WRITE_FILE
        # Before version 5 the kernel does not restrict ioctl, and refuses a rule about it.
        ruleset.allow_path(path, rights | access.IOCTL_DEV if version >= 5 else rights)
    scope = "files, TCP and signals" if version >= 6 else "files and TCP" if version >= 4 else "files"
    return PreparedLandlock(ruleset, ruleset.fileno(), f"Landlock ABI {version}: {scope}")


def _new_ruleset(landlockpy: Any) -> Any:
    """An empty ruleset that denies everything this kernel can deny, with a high descriptor.

    The kernel hands out the lowest free number, so the low ones are taken for a moment.
    """
    taken = [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)]
    try:
        while taken[-1] < LOWEST_DESCRIPTOR - 1:
            taken.append(os.dup(taken[0]))
        scope = landlockpy.Scope
        return landlockpy.Ruleset(scoped=scope.ABSTRACT_UNIX_SOCKET | scope.SIGNAL)
    finally:
        for descriptor in taken:
            os.close(descriptor)


def apply(prepared: PreparedLandlock) -> Layer:
    """Enforce the ruleset on this process for good, and close its descriptor. Raises: OSError."""
    import landlockpy

    # What student code is denied is no news for the kernel's log.
    prepared.ruleset.restrict(landlockpy.RestrictFlag.LOG_SAME_EXEC_OFF)
    prepared.ruleset.close()
    return Layer("landlock", True, prepared.detail)
