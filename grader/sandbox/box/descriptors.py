"""The descriptors of a worker: which are open, and what is behind each."""

from __future__ import annotations

import faulthandler
import fcntl
import os
import resource
import signal

FD_RPC, FD_DIAGNOSTICS = 3, 4


def arrange(fds: list[int], keep: tuple[int, ...]) -> None:
    """Descriptors of a worker: 0 nothing, 1 and 2 its output, 3 requests, 4 the fault handler's report."""
    high = [os.dup(fd) if fd > FD_DIAGNOSTICS else _dup_above(fd) for fd in fds]
    nothing = os.open("/dev/null", os.O_RDONLY)
    rpc, output, diagnostics = high
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(rpc, FD_RPC)
    os.dup2(diagnostics, FD_DIAGNOSTICS)
    limit = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 4096)
    start = FD_DIAGNOSTICS + 1
    for stop in [*sorted(keep), limit]:
        os.closerange(start, stop)
        start = stop + 1
    os.set_blocking(FD_DIAGNOSTICS, False)
    faulthandler.enable(file=FD_DIAGNOSTICS, all_threads=False)
    faulthandler.register(signal.SIGUSR1, file=FD_DIAGNOSTICS, all_threads=False)
    if hasattr(signal, "SIGXCPU"):
        faulthandler.register(signal.SIGXCPU, file=FD_DIAGNOSTICS, all_threads=False, chain=True)


def _dup_above(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD, 64)
