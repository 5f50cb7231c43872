"""Our handle on one worker: asks, waits, sets limits, and says in one way how the worker failed.

The worker's replies are the student's word. A reply can only ever be a value; whatever else comes over
the channel, or whatever else happens to the process, becomes one `StudentError`.
"""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from grader.catalog import Limits
from grader.errors import HarnessError, StudentError
from grader.printable import printable
from grader.records import SourceText
from grader.sandbox.box import wire
from grader.sandbox.template import TemplateClient

START_DEADLINE_S = 30.0
MIN_WALL_S = 10.0
DUMP_PATIENCE_S = 0.3
DEATH_PATIENCE_S = 0.5
KEPT_OUTPUT_BYTES = 8192
# The hard CPU limit of a whole worker is a backstop: calls are limited one by one.
LIFETIME_CPU_FACTOR = 15
MAX_MESSAGE = 600

_CRASHES = {
    signal.SIGSEGV: "a segmentation fault",
    signal.SIGBUS: "a bus error",
    signal.SIGABRT: "abort()",
    signal.SIGFPE: "an arithmetic fault",
    signal.SIGILL: "an illegal instruction",
}
_TRACE_LINE = re.compile(r'File "<student>/(?P<module>[^"]+)\.py", line (?P<line>\d+)')


@dataclass(frozen=True)
class Budget:
    """CPU seconds of one request, and the wall seconds after which we stop waiting in any case."""

    cpu_s: float
    wall_s: float
    what: str

    @staticmethod
    def of(cpu_s: float, limits: Limits, what: str) -> Budget:
        return Budget(cpu_s, max(MIN_WALL_S, cpu_s * limits.wall_factor), what)


class Worker:
    """A forked, confined process that holds one submission's code for one exercise."""

    def __init__(
        self, client: TemplateClient, limits: Limits, locate: Callable[[str], SourceText | None]
    ) -> None:
        self._client, self._limits, self._locate = client, limits, locate
        self._channel, theirs = socket.socketpair()
        self._output, output_w = os.pipe()
        self._diagnostics, diagnostics_w = os.pipe()
        try:
            reply = client.ask(
                {"op": "spawn", "limits": _process_limits(limits)}, (theirs.fileno(), output_w, diagnostics_w)
            )
        finally:
            theirs.close()
            os.close(output_w)
            os.close(diagnostics_w)
        self.pid: int = reply["spawned"]
        self._dead: StudentError | None = None
        self._requests = 0
        self._cpu_before = 0.0
        self._output_open = True
        self.output = b""
        self.output_bytes = 0
        self._channel.setblocking(False)
        os.set_blocking(self._output, False)
        os.set_blocking(self._diagnostics, False)
        self.layers: list[tuple[str, bool, str]] = self._hello()

    def _hello(self) -> list[tuple[str, bool, str]]:
        """The first frame comes before any student code: a failure here is ours."""
        try:
            hello = self._exchange(b"", Budget(START_DEADLINE_S, START_DEADLINE_S, "starting"))
            return [(str(name), bool(active), str(detail)) for name, active, detail in hello["layers"]]
        except (StudentError, TypeError, KeyError, ValueError) as err:
            self.close()
            raise HarnessError(f"A worker did not start: {err}") from err

    @property
    def is_dead(self) -> bool:
        return self._dead is not None

    def ask(
        self, op: str, body: Mapping[str, Any], *, cpu_s: float | None = None, what: str = "the call"
    ) -> Any:
        """Send one request and return the value of its reply.

        Raises:
            StudentError: the code raised, ran too long, crashed, or answered with something else.
            HarnessError: our own side failed.
        """
        if self._dead is not None:
            raise self._dead
        self._requests += 1
        try:
            frame = wire.encode({"id": self._requests, "op": op, **body})
        except wire.WireError as err:
            raise HarnessError(f"A check sent {err} to the student's code.") from err
        if select.select([self._channel], [], [], 0)[0]:
            self._die(_protocol("The code wrote to the grader's channel by itself."))
        budget = Budget.of(cpu_s or self._limits.call_cpu_s, self._limits, what)
        reply = self._exchange(frame, budget)
        return self._unwrap(reply)

    def _unwrap(self, reply: Any) -> Any:
        if (
            type(reply) is not dict
            or reply.get("id") != self._requests
            or ("ok" in reply) == ("error" in reply)
        ):
            self._die(_protocol("The grader's channel carried something that is not an answer."))
        if "ok" in reply:
            return reply["ok"]
        error = reply["error"] if type(reply["error"]) is dict else {}
        raise self._student_error(error)

    def _student_error(self, error: Mapping[str, Any]) -> StudentError:
        if "bad_return" in error:
            saw = printable(str(error["bad_return"]), MAX_MESSAGE)
            return StudentError(f"The code gave back {saw}.", outcome="bad_return", kind="bad_return")
        name, text = printable(str(error.get("type")), 80), printable(str(error.get("message")), MAX_MESSAGE)
        frames = self._frames(error.get("frames"))
        if error.get("memory") is True:
            return StudentError(
                f"The code ran out of memory (the limit is {self._limits.memory_mb} MB): {name}: {text}",
                outcome="out_of_memory", kind="memory", frames=frames,
            )  # fmt: skip
        if error.get("exit") is True:
            return StudentError(
                f"The code stopped the Python process itself ({name}).",
                outcome="raised", kind="exit", frames=frames,
                hint="Take out `sys.exit()`, `exit()` or `quit()`.",
            )  # fmt: skip
        kind = "unsupported" if error.get("unsupported") is True else "raised"
        message = f"{name}: {text}" if text else name
        return StudentError(message, outcome="raised", kind=kind, frames=frames, exception_type=name)

    def _frames(self, frames: Any) -> list[tuple[str, str]]:
        """The student's own lines, with the code from our copy of the text, not from theirs."""
        shown: list[tuple[str, str]] = []
        for frame in frames if type(frames) is list else []:
            if type(frame) is list and len(frame) == 3 and type(frame[0]) is str and type(frame[1]) is int:
                shown += self._place(frame[0], frame[1])
        return shown

    def _place(self, module: str, line: int) -> list[tuple[str, str]]:
        source = self._locate(module)
        if source is None:
            return []
        return [(printable(source.where(line), 200), printable(source.code(line), 200))]

    def _exchange(self, frame: bytes, budget: Budget) -> Any:
        """Send `frame` and read one frame, draining the output meanwhile, all under one deadline."""
        began, polled = time.monotonic(), 0.0
        unsent, received, needed = memoryview(frame), bytearray(), wire.HEAD.size
        lengths: tuple[int, int] | None = None
        while unsent or len(received) < needed:
            waited = time.monotonic() - began
            if waited >= budget.wall_s:
                self._time_out(budget, "wall_limit")
            if waited >= budget.cpu_s and waited - polled >= 0.25:
                polled = waited
                self._check_cpu(budget)
            try:
                unsent = self._step(unsent, received, needed, budget.cpu_s if waited < budget.cpu_s else 0.25)
            except (BrokenPipeError, ConnectionResetError):
                self._die(None)
            if lengths is None and len(received) == wire.HEAD.size:
                lengths = self._read_lengths(bytes(received))
                needed += sum(lengths)
        header = wire.HEAD.size + (lengths[0] if lengths else 0)
        try:
            return wire.decode(bytes(received[wire.HEAD.size : header]), bytes(received[header:]))
        except wire.WireError as err:
            self._die(_protocol(f"The grader's channel carried {err}."))

    def _read_lengths(self, head: bytes) -> tuple[int, int]:
        try:
            return wire.frame_lengths(head)
        except wire.WireError:
            self._die(_protocol("The grader's channel carried something that is not an answer."))

    def _step(self, unsent: memoryview, received: bytearray, needed: int, wait_s: float) -> memoryview:
        """Wait for one of our descriptors and serve those that are ready."""
        readable: list[Any] = [self._channel, self._output] if self._output_open else [self._channel]
        ready, writable, _ = select.select(readable, [self._channel] if unsent else [], [], wait_s)
        if self._output in ready:
            self._take_output()
        if writable:
            unsent = unsent[self._channel.send(unsent[: 1 << 18]) :]
        if self._channel in ready:
            part = self._channel.recv(min(needed - len(received), 1 << 20) or 1)
            if not part:
                raise ConnectionResetError
            received += part
        return unsent

    def _take_output(self) -> None:
        try:
            part = os.read(self._output, 65536)
        except BlockingIOError:
            return
        if not part:
            self._output_open = False
            return
        self.output_bytes += len(part)
        if len(self.output) < KEPT_OUTPUT_BYTES:
            self.output = (self.output + part)[:KEPT_OUTPUT_BYTES]
        if self.output_bytes > self._limits.output_kb * 1024 and self._dead is None:
            self._die(StudentError(
                f"The code printed more than {self._limits.output_kb} kB.",
                outcome="raised", kind="output", hint="Take out the prints inside the function or its loop.",
            ))  # fmt: skip

    def _check_cpu(self, budget: Budget) -> None:
        used = float(self._client.ask({"op": "cpu", "pid": self.pid})["cpu_s"])
        if used - self._cpu_before >= budget.cpu_s:
            self._time_out(budget, "cpu_limit")

    def note_cpu(self) -> None:
        """Remember the CPU time used so far, so that the next requests get a budget of their own."""
        if self._dead is None:
            self._cpu_before = float(self._client.ask({"op": "cpu", "pid": self.pid})["cpu_s"])

    def _time_out(self, budget: Budget, kind: str) -> NoReturn:
        used = f"{budget.cpu_s:g} s of CPU time" if kind == "cpu_limit" else f"{budget.wall_s:g} s"
        self._client.ask({"op": "dump", "pid": self.pid})
        frames = self._dumped_frames(DUMP_PATIENCE_S)
        self._die(StudentError(
            f"Not finished after {used} ({budget.what}).",
            outcome="timed_out", kind=kind, frames=frames,
            hint="Look for a loop that never ends, or for far more work than the exercise needs.",
        ))  # fmt: skip

    def _dumped_frames(self, patience_s: float) -> list[tuple[str, str]]:
        """Where the code was, by the fault handler's report: innermost line last."""
        end, report = time.monotonic() + patience_s, b""
        while time.monotonic() < end and len(report) < 1 << 16:
            if select.select([self._diagnostics], [], [], max(0.0, end - time.monotonic()))[0]:
                part = os.read(self._diagnostics, 65536)
                if not part:
                    break
                report += part
                end = min(end, time.monotonic() + 0.05)
        found = _TRACE_LINE.findall(report.decode("utf-8", "replace"))
        frames = [place for module, line in found for place in self._place(module, int(line))]
        return frames[:4][::-1]

    def _die(self, error: StudentError | None) -> NoReturn:
        """Kill, drain, reap; raise what it was: `error`, or what the ending tells."""
        if self._dead is None:
            patience_s = DEATH_PATIENCE_S if error is None else 0.0
            ended = self._client.ask({"op": "end", "pid": self.pid, "patience_s": patience_s})
            frames = self._dumped_frames(0.0 if error else 0.02)
            self._dead = error or self._ending(ended, frames)
            self._drain()
            self._close_descriptors()
        raise self._dead

    def _drain(self) -> None:
        for _ in range(64):
            if not self._output_open or not select.select([self._output], [], [], 0)[0]:
                return
            self._take_output()

    def _close_descriptors(self) -> None:
        self._channel.close()
        os.close(self._output)
        os.close(self._diagnostics)

    def _ending(self, ended: Mapping[str, Any], frames: list[tuple[str, str]]) -> StudentError:
        """What the end of the process tells, when nobody asked for it."""
        status = int(ended["status"])
        if os.WIFSIGNALED(status):
            return self._ended_by_signal(os.WTERMSIG(status), ended, frames)
        code = os.WEXITSTATUS(status)
        if code in (97, 98):
            return _protocol("The code broke the channel or the process that answers for it.")
        return StudentError(
            f"The code ended the Python process (exit status {code}).", outcome="crashed", kind="exit",
            hint="Take out `os._exit()` and the like.",
        )  # fmt: skip

    def _ended_by_signal(
        self, number: int, ended: Mapping[str, Any], frames: list[tuple[str, str]]
    ) -> StudentError:
        used_up = float(ended["cpu_s"]) >= _process_limits(self._limits)["cpu_s"]
        if number == signal.SIGXCPU or (number == signal.SIGKILL and used_up):
            return StudentError(
                "The code used up its CPU time.", outcome="timed_out", kind="cpu_limit", frames=frames,
                hint="Look for a loop that never ends.",
            )  # fmt: skip
        if number == signal.SIGKILL and ended["killed"]:
            return _protocol("The code closed the grader's channel.")
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        if number == signal.SIGKILL:
            return StudentError(f"The Python process was killed ({name}).", outcome="crashed", kind="killed")
        how = _CRASHES.get(signal.Signals(number), "ended by a signal") if name.startswith("SIG") else "ended"
        return StudentError(
            f"The Python process crashed: {how} ({name}).", outcome="crashed", kind="crash", frames=frames
        )

    def close(self) -> None:
        """End the worker; it is not an error of the student's."""
        if self._dead is None:
            try:
                self._die(StudentError("The worker was closed.", outcome="crashed", kind="closed"))
            except StudentError:
                return


def _protocol(message: str) -> StudentError:
    return StudentError(message, outcome="bad_return", kind="protocol")


def _process_limits(limits: Limits) -> dict[str, int]:
    return {
        "cpu_s": int(limits.import_cpu_s + limits.call_cpu_s * LIFETIME_CPU_FACTOR),
        "memory_bytes": limits.memory_mb << 20,
        "processes": limits.processes,
    }
