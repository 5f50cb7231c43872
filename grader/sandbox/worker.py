"""Our handle on one worker: asks, waits, sets limits, and says in one way how the worker failed.

The worker's replies are the student's word. A reply can only ever be a value; whatever else comes over
the channel, or whatever else happens to the process, becomes one `StudentError`.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from grader.catalog import Limits
from grader.errors import HarnessError, StudentError
from grader.sandbox.box import wire
from grader.sandbox.deadlines import Budget, Patience, Watch
from grader.sandbox.endings import Locate, Place, error_of_ending, frames_of_dump, protocol_error
from grader.sandbox.replies import NOT_AN_ANSWER, ReplyReader, request_frame
from grader.sandbox.template import TemplateClient

START_DEADLINE_S = 30.0
DUMP_PATIENCE_S = 0.3
DEATH_PATIENCE_S = 0.5
KEPT_OUTPUT_BYTES = 8192
MAX_PART_BYTES = 1 << 20
# The hard CPU limit of a whole worker is a backstop: calls are limited one by one.
LIFETIME_CPU_FACTOR = 15


class Worker:
    """A forked, confined process that holds one submission's code for one exercise."""

    def __init__(
        self, client: TemplateClient, limits: Limits, locate: Locate, patience: Patience | None = None
    ) -> None:
        self._client, self._limits, self._locate = client, limits, locate
        self._patience = patience or Patience(limits.exercise_wall_s)
        self._replies = ReplyReader(limits, locate)
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
        self._output_open = True
        self._keeps_output = True
        self.output = b""
        self.output_bytes = 0
        self._channel.setblocking(False)
        os.set_blocking(self._output, False)
        os.set_blocking(self._diagnostics, False)
        self._poll, self._noise = select.poll(), select.poll()
        self._poll.register(self._channel, select.POLLIN)
        self._poll.register(self._output, select.POLLIN)
        self._noise.register(self._channel, select.POLLIN)
        self.layers: list[tuple[str, bool, str]] = self._hello()

    def _hello(self) -> list[tuple[str, bool, str]]:
        """The first frame comes before any student code: a failure here is ours."""
        try:
            frame = self._exchange(b"", Budget(START_DEADLINE_S, START_DEADLINE_S, "starting"))
            hello = wire.decode(*wire.parts_of(frame))
            return [(str(name), bool(active), str(detail)) for name, active, detail in hello["layers"]]
        except (wire.WireError, StudentError, TypeError, KeyError, ValueError) as err:
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
        self._requests += 1
        frame = request_frame(self._requests, op, body)
        return self.read(self.trade(frame, cpu_s=cpu_s, what=what), self._requests)

    def trade(self, frame: bytes, *, cpu_s: float | None = None, what: str = "the call") -> bytes:
        """Send the frame of a request and return the frame that comes back, whatever it holds.

        Raises:
            StudentError: the code ran too long, crashed, or sent what is no single frame.
            HarnessError: our own side failed.
        """
        if self._dead is not None:
            raise self._dead
        if self._noise.poll(0):
            self._explain_noise()
        budget = Budget.of(cpu_s or self._limits.call_cpu_s, self._limits, what, self._patience)
        began = time.monotonic()
        try:
            return self._exchange(frame, budget)
        finally:
            self._patience.spent_s += time.monotonic() - began

    def read(self, reply: bytes, number: int) -> Any:
        """The value of a reply to request `number`; whoever answers with something else is ended.

        Raises:
            StudentError: the code raised, or this is no answer.
        """
        try:
            return self._replies.read(reply, number)
        except StudentError as err:
            if err.kind == "protocol":
                self._die(err)
            raise

    def _explain_noise(self) -> NoReturn:
        """Nothing was asked, and yet the channel has something to say: a word, or its end."""
        try:
            word = self._channel.recv(1)
        except ConnectionError:
            word = b""
        self._die(protocol_error("The code wrote to the grader's channel by itself.") if word else None)

    def _exchange(self, frame: bytes, budget: Budget) -> bytes:
        """Send `frame` and receive one frame, draining the output meanwhile, all under one deadline."""
        watch = Watch(budget)
        received, needed = bytearray(), wire.HEAD.size
        lengths: tuple[int, int] | None = None
        try:
            unsent = self._send(memoryview(frame))
            while unsent or len(received) < needed:
                self._keep_time(watch)
                unsent = self._step(unsent, received, needed, watch.patience_s())
                if lengths is None and len(received) >= wire.HEAD.size:
                    lengths = self._read_lengths(bytes(received[: wire.HEAD.size]))
                    needed += sum(lengths)
        except (BrokenPipeError, ConnectionResetError):
            self._die(None)
        if len(received) > needed:  # more than one
            self._die(protocol_error(NOT_AN_ANSWER))
        return bytes(received)

    def _read_lengths(self, head: bytes) -> tuple[int, int]:
        try:
            return wire.frame_lengths(head)
        except wire.WireError:
            self._die(protocol_error(NOT_AN_ANSWER))

    def _send(self, unsent: memoryview) -> memoryview:
        """Send what fits into the channel now; the usual frame fits as a whole."""
        try:
            return unsent[self._channel.send(unsent[:MAX_PART_BYTES]) :] if unsent else unsent
        except BlockingIOError:
            return unsent

    def _step(self, unsent: memoryview, received: bytearray, needed: int, wait_s: float) -> memoryview:
        """Wait for one of our descriptors and serve those that are ready."""
        self._poll.modify(self._channel, select.POLLIN | select.POLLOUT if unsent else select.POLLIN)
        ready = dict(self._poll.poll(wait_s * 1000))
        if self._output in ready:
            self._take_output()
        events = ready.get(self._channel.fileno(), 0)
        if events & select.POLLOUT:
            unsent = self._send(unsent)
        if events & ~select.POLLOUT:
            part = self._channel.recv(min(max(needed - len(received), 4096), MAX_PART_BYTES))
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
            self._poll.unregister(self._output)
            return
        self.output_bytes += len(part)
        if self._keeps_output and len(self.output) < KEPT_OUTPUT_BYTES:
            self.output = (self.output + part)[:KEPT_OUTPUT_BYTES]
        if self.output_bytes > self._limits.output_kb * 1024 and self._dead is None:
            self._die(StudentError(
                f"The code printed more than {self._limits.output_kb} kB.",
                outcome="raised", kind="output", hint="Take out the prints inside the function or its loop.",
            ))  # fmt: skip

    def _keep_time(self, watch: Watch) -> None:
        """End the worker when the request has used up its CPU seconds, or its time on the wall."""
        if watch.is_time_up:
            self._time_out(watch.budget, "wall_limit")
        if watch.is_look_due:
            used = self._client.ask({"op": "cpu", "pid": self.pid})
            if watch.is_used_up(float(used["cpu_s"])):
                self._time_out(watch.budget, "cpu_limit")

    def _time_out(self, budget: Budget, kind: str) -> NoReturn:
        used, note = f"{budget.wall_s:.3g} s", budget.wall_note
        if kind == "cpu_limit":
            used, note = f"{budget.cpu_s:g} s of CPU time", ""
        self._client.ask({"op": "dump", "pid": self.pid})
        frames = self._dumped_frames(DUMP_PATIENCE_S)
        self._die(StudentError(
            f"Not finished after {used} ({budget.what}{note}).",
            outcome="timed_out", kind=kind, frames=frames,
            hint="Look for a loop that never ends, or for far more work than the exercise needs.",
        ))  # fmt: skip

    def _dumped_frames(self, patience_s: float) -> list[Place]:
        """Where the code was, by the fault handler's report: innermost line last."""
        end, report = time.monotonic() + patience_s, b""
        while time.monotonic() < end and len(report) < 1 << 16:
            if select.select([self._diagnostics], [], [], max(0.0, end - time.monotonic()))[0]:
                part = os.read(self._diagnostics, 65536)
                if not part:
                    break
                report += part
                end = min(end, time.monotonic() + 0.05)
        return frames_of_dump(report, self._locate)

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

    def seal_output(self) -> None:
        """Keep nothing that the code prints from now on: it is about to see what no student may see."""
        if self._keeps_output and self._dead is None:
            self._drain()
        self._keeps_output = False

    def _close_descriptors(self) -> None:
        self._channel.close()
        os.close(self._output)
        os.close(self._diagnostics)

    def _ending(self, ended: Mapping[str, Any], frames: list[Place]) -> StudentError:
        used_up = float(ended["cpu_s"]) >= _process_limits(self._limits)["cpu_s"]
        return error_of_ending(
            int(ended["status"]), killed=bool(ended["killed"]), used_up=used_up, frames=frames
        )

    def close(self) -> None:
        """End the worker; it is not an error of the student's."""
        if self._dead is None:
            try:
                self._die(StudentError("The worker was closed.", outcome="crashed", kind="closed"))
            except StudentError:
                return


def _process_limits(limits: Limits) -> dict[str, int]:
    return {
        "cpu_s": int(limits.import_cpu_s + limits.call_cpu_s * LIFETIME_CPU_FACTOR),
        "memory_bytes": limits.memory_mb << 20,
        "processes": limits.processes,
    }
