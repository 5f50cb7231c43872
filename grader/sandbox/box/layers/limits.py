"""Resource limits of a worker (setrlimit): the backstop under the deadlines that the trusted side keeps."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping

from . import libc
from .report import Layer

OPEN_FILES = 64
DEFAULT_PROCESSES = 64
# The limit counts the user's threads, not the worker's: leave room for other workers that run beside it.
ROOM_FOR_OTHERS = 256

_MEANINGS = {
    "CPU": "CPU time",
    "AS": "memory",
    "FSIZE": "size of written files",
    "NOFILE": "open files",
    "NPROC": "processes",
    "CORE": "core dumps",
}
_ESSENTIAL = {"CPU", "AS", "FSIZE"}  # without one of these the layer does not count as active


def address_space_bytes() -> int | None:
    """How much address space this process has now; None where the system does not say.

    A limit on it must start from here: torch alone maps over half a gigabyte, its CUDA build many.
    """
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def count_threads(uid: int) -> int | None:
    """How many threads this user runs now, as far as they can be seen; None where there is no /proc."""
    if not libc.IS_LINUX:
        return None
    count = 0
    try:
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/status", "rb") as file:
                    fields = dict(line.split(b":", 1) for line in file if b":" in line)
                if int(fields[b"Uid"].split()[0]) == uid:
                    count += int(fields[b"Threads"])
            except (OSError, KeyError):
                continue  # it ended, or is ending
    except OSError:
        return None
    return count


def apply(limits: Mapping[str, int], threads: int | None) -> Layer:
    """Set all limits; those that the system refuses or lacks are named in the layer's detail.

    `limits`: `cpu_s` (seconds for the worker's whole life: SIGXCPU, one second later SIGKILL),
    `memory_bytes` (budget above what the process has now; 0 for no limit), `processes` (budget above
    `threads`, which the user ran already when the template started).
    """
    cpu_s = limits["cpu_s"]
    wanted = {
        "CPU": (cpu_s, cpu_s + 1),
        "FSIZE": (0, 0),
        "NOFILE": (OPEN_FILES, OPEN_FILES),
        "CORE": (0, 0),
    }
    missing = {}
    if threads is None:
        missing["NPROC"] = "unknown number now"
    else:
        wanted["NPROC"] = (threads + limits.get("processes", DEFAULT_PROCESSES) + ROOM_FOR_OTHERS,) * 2
    size = address_space_bytes()
    if not limits["memory_bytes"]:
        missing["AS"] = "an accelerator's driver maps more than the machine has"
    elif size is None or not libc.IS_LINUX:  # macOS accepts the limit and ignores it
        missing["AS"] = "unknown size"
    else:
        wanted["AS"] = (size + limits["memory_bytes"],) * 2
    missing |= {name: problem for name, pair in wanted.items() if (problem := _set(name, *pair))}
    detail = ", ".join(meaning for name, meaning in _MEANINGS.items() if name not in missing)
    if missing:
        detail += "; not limited: " + ", ".join(f"{_MEANINGS[name]} ({why})" for name, why in missing.items())
    return Layer("limits", not _ESSENTIAL & set(missing), detail)


def _set(name: str, soft: int, hard: int) -> str:
    """Lower one limit, never above what we were given; the reason why not, or nothing."""
    which = getattr(resource, f"RLIMIT_{name}", None)
    if which is None:
        return "unknown to this system"
    try:
        ceiling = resource.getrlimit(which)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(which, (soft, hard))
    except (ValueError, OSError) as err:
        return str(err)
    return ""
