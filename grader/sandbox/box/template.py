"""The template: a clean process that has imported torch, runs nothing, and is forked into workers.

It speaks JSON lines. On the *control* connection the judge host hands it client connections (one a
judge). A client asks for workers, for their CPU time, and for their end; when a client goes away its
workers are killed, and when the control connection goes away so does everything.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from . import layers, pages, warming, worker
from .descriptors import FD_RPC, arrange

MAX_MESSAGE = 1 << 16
LINUX = sys.platform.startswith("linux")
# After so many workers it is a class: large pages, which take a third of a second, pay off.
MANY_WORKERS = 25


@dataclass
class Client:
    """One judge: its connection, its half-read message, and the workers that it owns."""

    socket: socket.socket
    received: bytes = b""
    fds: list[int] = field(default_factory=list)
    workers: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Ending:
    """How a worker ended: wait status, CPU seconds, peak memory, and whether the template killed it."""

    status: int
    cpu_s: float
    peak_kb: int
    killed: bool


class Template:
    def __init__(self, control: socket.socket, prepared: layers.Prepared) -> None:
        self.control = control
        self.prepared = prepared
        self.clients: dict[int, Client] = {}
        self.endings: dict[int, Ending] = {}
        self.waiting: dict[int, Client] = {}
        self.kill_at: dict[int, float] = {}
        self.killed: set[int] = set()
        self.spawned = 0
        self.selector = selectors.DefaultSelector()
        self.wake_read, self.wake_write = os.pipe()

    def run(self) -> NoReturn:
        os.set_blocking(self.wake_read, False)
        os.set_blocking(self.wake_write, False)
        signal.set_wakeup_fd(self.wake_write)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.selector.register(self.control, selectors.EVENT_READ, None)
        self.selector.register(self.wake_read, selectors.EVENT_READ, None)
        self.control.sendall(b'{"ready": true}\n')
        while True:
            for key, _ in self.selector.select(self._patience_s()):
                if key.fileobj is self.control:
                    self._accept()
                elif key.fileobj == self.wake_read:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self.wake_read, 4096)
                elif key.data.socket.fileno() >= 0:
                    self._serve(key.data)
            self._kill_due()
            self._reap()

    def _patience_s(self) -> float | None:
        return max(0.0, min(self.kill_at.values()) - time.monotonic()) if self.kill_at else None

    def _kill_due(self) -> None:
        now = time.monotonic()
        for pid in [pid for pid, due in self.kill_at.items() if due <= now]:
            del self.kill_at[pid]
            self._kill(pid)

    def _accept(self) -> None:
        message, fds, _, _ = socket.recv_fds(self.control, MAX_MESSAGE, 16)
        if not message:
            self._leave()
        for fd in fds:
            client = Client(socket.socket(fileno=fd))
            self.clients[fd] = client
            self.selector.register(client.socket, selectors.EVENT_READ, client)

    def _leave(self) -> NoReturn:
        for client in list(self.clients.values()):
            self._forget(client)
        self._kill_orphans()
        os._exit(0)

    def _forget(self, client: Client) -> None:
        for pid in client.workers:
            self._kill(pid)
        self.waiting = {pid: waiter for pid, waiter in self.waiting.items() if waiter is not client}
        self.clients.pop(client.socket.fileno(), None)
        self.selector.unregister(client.socket)
        client.socket.close()

    def _serve(self, client: Client) -> None:
        try:
            message, fds, _, _ = socket.recv_fds(client.socket, MAX_MESSAGE, 8)
        except ConnectionError:
            message, fds = b"", []
        if not message:
            self._forget(client)
            return
        client.received += message
        client.fds += fds
        while b"\n" in client.received:
            line, client.received = client.received.split(b"\n", 1)
            request = json.loads(line)
            operation = getattr(self, f"_op_{request['op']}")
            operation(client, request)

    def _answer(self, client: Client, reply: Mapping[str, Any]) -> None:
        try:
            client.socket.sendall(json.dumps(reply).encode() + b"\n")
        except OSError:
            return  # the judge is gone: the next turn of the loop sees the end of its connection

    def _op_spawn(self, client: Client, request: Mapping[str, Any]) -> None:
        fds, client.fds = client.fds, []
        self.spawned += 1
        if self.spawned == MANY_WORKERS:
            pages.gather_pages()
        try:
            pid = os.fork()
        except OSError as err:
            self._answer(client, {"error": f"fork failed: {err}"})
            pid = -1
        if pid == 0:
            self._become_worker(fds, request["limits"])
        for fd in fds:
            os.close(fd)
        if pid > 0:
            client.workers.add(pid)
            self._answer(client, {"spawned": pid})

    def _op_warm(self, client: Client, request: Mapping[str, Any]) -> None:
        """Import what an optimiser imports at its first step: a second, once, instead of once a worker."""
        warming.warm_optimisers()
        warming.settle_memory()
        self._answer(client, {"warm": True})

    def _op_cpu(self, client: Client, request: Mapping[str, Any]) -> None:
        self._answer(
            client, {"cpu_s": _cpu_seconds(request["pid"]) if self._owns(client, request["pid"]) else 0.0}
        )

    def _op_dump(self, client: Client, request: Mapping[str, Any]) -> None:
        """Ask the worker's fault handler where the code is."""
        if self._owns(client, request["pid"]):
            os.kill(request["pid"], signal.SIGUSR1)
        self._answer(client, {"dumped": True})

    def _op_end(self, client: Client, request: Mapping[str, Any]) -> None:
        """Kill the worker (or, with `patience_s`, let it finish dying by itself first)."""
        pid = request["pid"]
        if self._owns(client, pid):
            self.kill_at[pid] = time.monotonic() + request.get("patience_s", 0.0)
        self.waiting[pid] = client
        self._kill_due()

    def _owns(self, client: Client, pid: int) -> bool:
        return pid in client.workers and pid not in self.endings

    def _kill(self, pid: int) -> None:
        if pid not in self.endings:
            self.killed.add(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        workers = {pid for client in self.clients.values() for pid in client.workers}
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid in workers:
                cpu_s = usage.ru_utime + usage.ru_stime
                self.endings[pid] = Ending(status, cpu_s, _kilobytes(usage.ru_maxrss), pid in self.killed)
                self.killed.discard(pid)
                self.kill_at.pop(pid, None)
                self._kill_group(pid)
                self._kill_orphans()
        for pid in [pid for pid in self.waiting if pid in self.endings or pid not in workers]:
            client, ending = self.waiting.pop(pid), self.endings.pop(pid, Ending(0, 0.0, 0, True))
            client.workers.discard(pid)
            self._answer(client, {"ended": pid, **vars(ending)})

    def _kill_group(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)

    def _kill_orphans(self) -> None:
        """Kill what dead workers left behind: as sub-reaper we inherit even what ran away with setsid."""
        workers = {pid for client in self.clients.values() for pid in client.workers}
        for _ in range(100):
            orphans = [pid for pid in _children() if pid not in workers]
            if not orphans:
                return
            for pid in orphans:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)

    def _become_worker(self, fds: list[int], limits: Mapping[str, int]) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            arrange(fds, keep=self.prepared.keep_fds)
            gc.enable()
            found = layers.confine(self.prepared, limits)
            worker.serve(FD_RPC, {"layers": [[layer.name, layer.active, layer.detail] for layer in found]})
        finally:
            os._exit(worker.EXIT_BROKEN)


def _children() -> list[int]:
    """Direct children of this process; only Linux can tell cheaply, and only there we are their reaper."""
    if not LINUX:
        return []
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as listing:
            return [int(pid) for pid in listing.read().split()]
    except OSError:
        return []


def _cpu_seconds(pid: int) -> float:
    import psutil

    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _kilobytes(peak: int) -> int:
    return peak if LINUX else peak // 1024


def _become_subreaper() -> None:
    if LINUX:
        import ctypes

        pr_set_child_subreaper = 36
        ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def serve(settings: Mapping[str, Any]) -> NoReturn:
    """Become the template. `settings` come from the launch plan, plus `control_fd` and `accelerator`."""
    layers.harden_template()
    _become_subreaper()
    warming.warm_up()
    prepared = layers.prepare(settings["read_paths"], settings)
    warming.settle_memory()
    gc.disable()
    Template(socket.socket(fileno=settings["control_fd"]), prepared).run()
