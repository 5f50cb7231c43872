"""The judge host: imports torch and pytest once, collects the suites once, forks a judge a submission.

A process of its own, started by exec with an environment of our making. It owns the template. When the
grader that started it goes away, the host, its judges, the template and every worker go too.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from grader.catalog import Assignment, Limits, read_assignment
from grader.errors import GraderError, HarnessError
from grader.judge import transport
from grader.judge.fork import be_judge, describe_error, die_with_parent
from grader.sandbox.accelerators import device_nodes, may_have_accelerator
from grader.sandbox.box import pages
from grader.sandbox.isolation import LaunchPlan, choose_plan
from grader.sandbox.template import Template

JUDGE_DEADLINE_S = 1800.0
# After so many judges it is a class: large pages, which take a third of a second, pay off.
MANY_JUDGES = 5


@dataclass
class RunningJudge:
    """A forked judge: its pipe, what has come through it, when it must be done."""

    job: str
    pid: int
    pipe: int
    deadline: float
    received: bytearray = field(default_factory=bytearray)


class Host:
    """Serves jobs from one connection. `prepare` first; it reports what went wrong, if anything did."""

    def __init__(self, connection: socket.socket, settings: dict[str, Any]) -> None:
        self.connection = connection
        self.settings = settings
        self.selector = selectors.DefaultSelector()
        self.judges: dict[int, RunningJudge] = {}
        self.incoming = bytearray()
        self.started = 0
        self.accelerator_template: Template | None = None

    def give_up(self, problem: GraderError) -> NoReturn:
        """`prepare` failed: say so and leave no process behind, not even one that is still starting."""
        self.send({"ready": False, "error": describe_error(problem)})
        for template in (getattr(self, "template", None), self.accelerator_template):
            if template is not None:
                template.close(patience_s=0.0)
        os._exit(3)

    def prepare(self) -> None:
        """Start the template first: it imports torch while we do."""
        clock = _Clock()
        root = self.settings["assignment"]
        assignment = None if root is None else read_assignment(Path(root))
        if assignment is not None and self.settings["practice"]:
            assignment = assignment.as_handout()
        secrets = _secrets(assignment)
        plan = choose_plan(self.settings["isolation"], secrets=secrets)
        self.template = Template(plan)
        self.accelerator_template = self._start_accelerator_template(secrets)
        clock.lap("isolation plan")

        import torch

        torch.set_num_threads(1)
        _warm_up()
        clock.lap("torch and pytest")
        if assignment is not None:
            from grader.judge.prepared import PreparedSuites

            self.suites = PreparedSuites(assignment)
        clock.lap("collecting the suites")
        self.template.wait_ready()
        accelerator = self._look_for_devices()
        if assignment is not None:
            self.suites.accelerator = accelerator
        clock.lap("waiting for the template")
        layers, abilities = self._probe(plan, secrets)
        clock.lap("probing the isolation")
        self.timings = clock.laps
        self.environment = {
            "torch": torch.__version__,
            "level": plan.level,
            "tried": list(plan.tried),
            "layers": layers,
            "abilities": abilities,
            "accelerator": accelerator,
        }

    def _probe(self, plan: LaunchPlan, secrets: list[Path]) -> tuple[list[list[Any]], dict[str, bool]]:
        """`strict` grades only after a worker has shown what it cannot do; doctor asks for the same."""
        if plan.level != "strict" and not self.settings["probe"]:
            return [], {}
        from grader.judge.probing import probe_workers
        from grader.sandbox.probe import check_strict

        found = probe_workers(self.template, secrets)
        if plan.level == "strict":
            check_strict(found.abilities, found.layers)
        return [[layer.name, layer.active, layer.detail] for layer in found.layers], dict(found.abilities)

    def _start_accelerator_template(self, secrets: list[Path]) -> Template | None:
        """A second template, whose workers reach a real accelerator; `strict` does without one."""
        wanted = self.settings["device"] not in ("cpu", "pretend") and may_have_accelerator()
        if not wanted or self.settings["isolation"] == "strict":
            return None
        nodes = device_nodes()
        return Template(choose_plan(self.settings["isolation"], secrets=secrets, device_nodes=nodes))

    def _look_for_devices(self) -> str | None:
        """A real accelerator is asked for in a worker only: a parent that touches CUDA cannot fork it."""
        if self.accelerator_template is None:
            return None
        from grader.sandbox.worker import Worker

        client = self.accelerator_template.connect()
        worker = Worker(client, replace(Limits(), memory_mb=0), lambda module: None)
        reply = worker.ask("device", {"name": "auto"}, cpu_s=60.0)
        worker.close()
        client.close()
        return None if reply["name"] is None else str(reply["name"]).partition(":")[0]

    def serve(self) -> NoReturn:
        gc.freeze()  # a judge that looks through what it inherited for garbage would copy all of it
        self.selector.register(self.connection, selectors.EVENT_READ, None)
        while True:
            for key, _ in self.selector.select(1.0):
                if key.data is None:
                    self._take_jobs()
                else:
                    self._read_judge(key.data)
            for judge in [j for j in self.judges.values() if j.deadline < time.monotonic()]:
                self._end_judge(judge, f"The judge was not done after {JUDGE_DEADLINE_S:g} s.")

    def _take_jobs(self) -> None:
        part = self.connection.recv(1 << 20)
        if not part:
            self._leave()
        self.incoming += part
        while (length := transport.message_length(self.incoming)) and len(self.incoming) >= length:
            message = transport.unpack(bytes(self.incoming[:length]))
            del self.incoming[:length]
            self._start_judge(message)

    def _start_judge(self, message: dict[str, Any]) -> None:
        if message["pictures"]:
            _ = self.suites.looks  # loaded here, once for all judges
        read_end, write_end = os.pipe()
        parent = os.getpid()
        self.started += 1
        if self.started == MANY_JUDGES:
            pages.gather_pages()
        pid = os.fork()
        if pid == 0:
            os.close(read_end)
            be_judge(self, message, write_end, parent)
        os.close(write_end)
        judge = RunningJudge(message["job"], pid, read_end, time.monotonic() + JUDGE_DEADLINE_S)
        self.judges[read_end] = judge
        self.selector.register(read_end, selectors.EVENT_READ, judge)

    def _read_judge(self, judge: RunningJudge) -> None:
        part = os.read(judge.pipe, 1 << 20)
        if part:
            judge.received += part
            return
        length = transport.message_length(judge.received)
        if length is None or len(judge.received) < length:
            self._end_judge(judge, "The judge died before it was done.")
            return
        self._end_judge(judge, "")

    def _end_judge(self, judge: RunningJudge, problem: str) -> None:
        self.selector.unregister(judge.pipe)
        os.close(judge.pipe)
        del self.judges[judge.pipe]
        if problem:
            os.kill(judge.pid, signal.SIGKILL)
        os.waitpid(judge.pid, 0)
        if not self.template.is_alive:
            # No judge can work any more. What this one says is of no use: it is judged again by a new host.
            print("The template process has died.", file=sys.stderr, flush=True)
            self._leave()
        if problem:
            self.send({"job": judge.job, "error": {"kind": "harness", "message": problem}})
        else:
            length = transport.message_length(judge.received) or 0
            self._forward(bytes(judge.received[:length]))
            self._learn(bytes(judge.received[length:]))  # nobody waits for this

    def _learn(self, frame: bytes) -> None:
        """Keep what a judge's references computed; a judge that died at its very end has said nothing."""
        length = transport.message_length(frame)
        if length is not None and len(frame) >= length:
            message = transport.unpack(frame[:length])
            self.suites.reference.memo.learn(message["computed"])
            self.suites.diagnoser.outcomes.learn(message["outcomes"])
            self.suites.learn_trails(message["trails"])
            gc.freeze()  # what is known now is no judge's garbage either

    def send(self, message: dict[str, Any]) -> None:
        self._forward(transport.pack(message))

    def _forward(self, frame: bytes) -> None:
        try:
            self.connection.sendall(frame)
        except OSError:
            self._leave()

    def _leave(self) -> NoReturn:
        for judge in self.judges.values():
            os.kill(judge.pid, signal.SIGKILL)
            os.waitpid(judge.pid, 0)
        self.template.close()
        if self.accelerator_template is not None:
            self.accelerator_template.close()
        os._exit(0)


def _warm_up() -> None:
    """Import what the first gradient and the first seed import, once for all judges."""
    import numpy.random  # noqa: F401  # loaded by numpy when it is first asked for
    import torch

    x = torch.ones(2, requires_grad=True)
    torch.autograd.grad([x * 2], [x], [torch.ones(2)])


class _Clock:
    """Seconds between laps, by name."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name], self._last = now - self._last, now


def _secrets(assignment: Assignment | None) -> list[Path]:
    if assignment is None:
        return []
    folders = [assignment.root / "solutions", assignment.root / "tests" / "hidden"]
    return [folder for folder in folders if folder.is_dir()]


def main() -> NoReturn:
    settings = json.loads(sys.argv[1])
    die_with_parent(settings["parent"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's to handle; it closes our socket
    host = Host(socket.socket(fileno=settings["fd"]), settings)
    try:
        host.prepare()
    except GraderError as err:
        host.give_up(err)
    except Exception as err:  # noqa: BLE001  # the edge of this process: a broken installation shows here
        host.give_up(HarnessError(f"The judge host did not start: {type(err).__name__}: {err}"))
    host.send({"ready": True, "timings": host.timings, "environment": host.environment})
    host.serve()


if __name__ == "__main__":
    main()
