"""Our handle on the template process: start it, hand out connections to judges, end it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from grader.errors import HarnessError
from grader.printable import printable
from grader.sandbox.isolation import LaunchPlan

BOOT = Path(__file__).parent / "box" / "boot.py"
START_DEADLINE_S = 120.0
CONTROL_DEADLINE_S = 30.0


class Template:
    """A running template. Start it early: it imports torch while we import ours.

    Raises:
        HarnessError: from `wait_ready` and `connect`, when the process does not do what it should.
    """

    def __init__(self, plan: LaunchPlan) -> None:
        self.plan = plan
        self._control, theirs = socket.socketpair()
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed in `close`
        settings = {**plan.settings, "control_fd": theirs.fileno()}
        argv = [*plan.argv_prefix, plan.python, "-I", "-S", "-u", str(BOOT), json.dumps(settings)]
        try:
            self._process = subprocess.Popen(
                argv,
                pass_fds=[theirs.fileno()],
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                **plan.popen_kwargs,
            )
        except OSError as err:
            raise HarnessError(f"The template process cannot be started: {err}.") from err
        finally:
            theirs.close()
        self._is_ready = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """False once the process has ended, also where a launcher around it has not noticed yet."""
        try:
            return self._control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return self._process.poll() is None
        except OSError:
            return False

    def wait_ready(self) -> None:
        """Block until torch is imported there and workers can be forked."""
        if self._is_ready:
            return
        line = read_line(self._control, START_DEADLINE_S)
        if line != b'{"ready": true}':
            raise HarnessError(
                f"The template process did not start: {self._last_words() or 'it said nothing'}"
            )
        self._is_ready = True

    def connect(self) -> TemplateClient:
        """A connection for one judge; its workers die with it."""
        self.wait_ready()
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self._control, [b"client\n"], [theirs.fileno()])
        except OSError as err:
            ours.close()
            raise HarnessError(f"The template process has died. {self._last_words()}".strip()) from err
        finally:
            theirs.close()
        return TemplateClient(ours)

    def _last_words(self) -> str:
        self._errors.seek(0, os.SEEK_END)
        size = self._errors.tell()
        self._errors.seek(max(0, size - 1500))
        return printable(self._errors.read().decode("utf-8", "replace").strip(), 1500)

    def close(self, *, patience_s: float = 5.0) -> None:
        """End the template and with it every worker; kill it when it does not end by itself in time."""
        self._control.close()
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()


class TemplateClient:
    """One judge's connection: every request is answered before the next, within a deadline."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def ask(self, request: Mapping[str, Any], fds: tuple[int, ...] = ()) -> dict[str, Any]:
        message = json.dumps(request).encode() + b"\n"
        try:
            if fds:
                socket.send_fds(self._socket, [message], list(fds))
            else:
                self._socket.sendall(message)
            line = read_line(self._socket, CONTROL_DEADLINE_S)
        except OSError as err:
            raise HarnessError("The template process has died.") from err
        if line is None:
            raise HarnessError("The template process has died or hangs.")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise HarnessError(f"The template cannot start a worker: {reply['error']}.")
        return reply

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.close()


def read_line(connection: socket.socket, deadline_s: float) -> bytes | None:
    """One line without its end, or None when the other side is gone or silent for too long."""
    end, received = time.monotonic() + deadline_s, bytearray()
    while not received.endswith(b"\n"):
        if not select.select([connection], [], [], max(0.0, end - time.monotonic()))[0]:
            return None
        part = connection.recv(65536)
        if not part:
            return None
        received += part
    return bytes(received[:-1])
