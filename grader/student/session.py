"""One exercise of one submission: which worker runs it, how its source is loaded, what it has used up."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

from grader.catalog import Limits
from grader.errors import StudentError
from grader.records import Note
from grader.sandbox.box import audit, devices
from grader.sandbox.deadlines import Patience
from grader.sandbox.replies import ReplyReader
from grader.sandbox.template import TemplateClient
from grader.sandbox.worker import Worker
from grader.student.conversation import Conversation, Exchange
from grader.student.errors import at_import, needs_programs, reading_reply
from grader.student.material import REFERENCE_MODULE, Material

MAX_TIME_OUTS = 2
MAX_NAMES = 200


class Session:
    """Owns the worker of one exercise and replaces it whenever a check leaves it changed."""

    def __init__(
        self,
        client: TemplateClient,
        material: Material,
        limits: Limits,
        rng: random.Random,
        device: str = "cpu",
    ) -> None:
        self.material, self.device = material, device
        self._client, self._limits, self._rng = client, limits, rng
        # Loading draws from another one: when a worker is started has no say in what a check asks.
        self._requests_rng = rng
        self._worker: Worker | None = None
        self._reader = ReplyReader(limits, material.locate)
        self._checks = self._workers = 0
        self.talk = Conversation(self.worker, self._reader)
        self.device_name: str | None = "cpu"
        self.device_reason = ""
        self.only_definitions = False
        self.import_error: StudentError | None = None
        self.time_outs = 0
        self._patience = Patience(limits.exercise_wall_s)
        self._seals_output = False
        self.notes: dict[str, None] = {}
        self._changed: set[str] = set()
        self.stdout = b""
        self._looks: dict[str, set[str]] = {}
        self.layers: list[tuple[str, bool, str]] = []
        self.missing: tuple[str, ...] = ()
        self.names: tuple[str, ...] = ()

    @property
    def is_on_accelerator(self) -> bool:
        """True for a real accelerator: its workers come from a template of their own."""
        return self.device not in ("cpu", devices.PRETEND)

    def begin_check(
        self, seed: int, played: Iterable[Exchange] = (), note: Callable[[Exchange, bool], None] | None = None
    ) -> None:
        """What is asked from now on depends on `seed` and on the replies, not on what was asked before.

        What is `played` back reaches no worker. `note` is told each exchange.
        """
        self._checks += 1
        self._requests_rng = random.Random(seed)
        # What another check looked at is not read unasked in this one: reading a property may do something.
        self._looks.clear()
        self.talk = Conversation(self.worker, self._reader, played, note)

    @property
    def epoch(self) -> tuple[int, int]:
        """Changes with each check and with each process: what was made before is not there any more."""
        return self._checks, self._workers

    def require_loaded(self) -> None:
        """Make sure that there is a worker with the student's code to ask.

        Raises:
            StudentError: the code cannot be loaded.
        """
        if not self.talk.is_playing:
            self.worker()

    def new_seed(self) -> int:
        """For one request: student code starts each call with it."""
        return self._requests_rng.randrange(1, 1 << 31)

    @property
    def is_exhausted(self) -> bool:
        """After the second time-out, or when all patience is spent, the rest of the exercise is skipped."""
        return self.time_outs >= MAX_TIME_OUTS or self._patience.left_s <= 0

    @property
    def printed(self) -> bytes:
        """What the code has printed so far, as far as that is kept."""
        return self.stdout + (self._worker.output if self._worker is not None else b"")

    def seal_output(self) -> None:
        """From now on the code sees inputs of hidden checks: what it prints is not kept any more."""
        self._seals_output = True
        if self._worker is not None:
            self._worker.seal_output()

    def note_look(self, symbol: str, name: str) -> None:
        """A check looks at this attribute: it comes along with its later results, without a question."""
        self._looks.setdefault(symbol, set()).add(name)

    def looks_of(self, symbol: str) -> list[str]:
        return sorted(self._looks.get(symbol, ()))

    def own_names(self, names: Any) -> list[str]:
        """Those of the `names` that the submission's text holds: no others may be shown.

        The code names things as it likes, also after the inputs that it was given.
        """
        known = (
            (name for name in names if type(name) is str and len(name) <= 100) if type(names) is list else ()
        )
        return [name for name in known if name in self.material.source.text][:MAX_NAMES]

    def worker(self) -> Worker:
        """A live worker that has loaded the student's code.

        Raises:
            StudentError: the code cannot be loaded; remembered, so it is found out only once.
        """
        if self.import_error is not None:
            raise self.import_error
        if self._worker is not None and not self._worker.is_dead:
            return self._worker
        try:
            self._worker = self._start()
        except StudentError as err:
            self.import_error = err
            raise
        return self._worker

    def take_worker(self, other: Session) -> None:
        """Go on with the worker of a session that is done with it; the code is loaded anew.

        It has run student code, so its word for the device counts for nothing beyond the name that we asked
        for: anything else, and a worker of our own will be asked.
        """
        self.only_definitions, self.import_error = other.only_definitions, other.import_error
        worker, other._worker = other._worker, None
        if worker is None or worker.is_dead or self.import_error is not None:
            return
        try:
            reply = worker.ask("device", {"name": self.device})
            with reading_reply():
                if str(reply["name"]).partition(":")[0] != self.device:
                    raise ValueError("another device than was asked for")
            self.device_name = str(reply["name"])[:20]
            self._worker = self._load_into(worker, self.only_definitions)
        except StudentError:
            self._collect(worker)

    def go_on_from(self, other: Session) -> None:
        """Load this session's code into the worker of another one that is done with it, if it lives.

        Raises:
            StudentError: the code cannot be loaded.
        """
        worker, other._worker = other._worker, None
        if worker is not None and not worker.is_dead:
            self._worker = self._load_into(worker, self.only_definitions)

    def _start(self) -> Worker:
        has_fallback = any(source.definitions is not None for source in self.material.sources())
        try:
            return self._load(self.only_definitions)
        except StudentError as err:
            if self.only_definitions or not has_fallback or needs_programs(err):
                raise
            self._note_fallback(err)
        self.only_definitions = True
        return self._load(True)

    def _note_fallback(self, err: StudentError) -> None:
        shown = err.message if not self.material.references else "it failed at import"
        shown = shown.removesuffix(".")
        used = shown.partition("Not finished after ")[2] if err.outcome == "timed_out" else ""
        how = f"was stopped after {used}" if used else f"did not run as a whole ({shown})"
        self.notes[f"`{self.material.source.path}` {how}; only its definitions were used."] = None

    def _load(self, only_definitions: bool) -> Worker:
        if self.material.mentions_optimisers(only_definitions):
            self._client.ask({"op": "warm"})
        worker = Worker(self._client, self._limits, self.material.locate, self._patience)
        if self.device != "cpu":
            reply = worker.ask("device", {"name": self.device})
            self.device_name, self.device_reason = reply["name"], str(reply["reason"])
        return self._load_into(worker, only_definitions)

    def _load_into(self, worker: Worker, only_definitions: bool) -> Worker:
        self.layers = worker.layers
        self._workers += 1
        try:
            reply = worker.ask(
                "load",
                self._load_request(only_definitions),
                cpu_s=self._limits.import_cpu_s,
                what="importing the file",
            )
            with reading_reply():
                self.missing = tuple(str(name) for name in reply["missing"])
                self.names = tuple(self.own_names(reply["names"]))
                self._note_changes(reply["changed"], "at import")
        except StudentError as err:
            self._collect(worker)
            raise at_import(err) from err
        if self._seals_output:
            worker.seal_output()
        return worker

    def _load_request(self, only_definitions: bool) -> dict[str, Any]:
        material = self.material
        return {
            "sources": material.texts(only_definitions),
            "main": material.source.module,
            "seed": self._rng.randrange(1, 1 << 31),
            "aliases": material.aliases(),
            "piecewise": material.piecewise(only_definitions),
            "symbols": list(material.spec.symbols),
            "offers": dict(material.offers),
            "overrides": {name: REFERENCE_MODULE.format(stem) for name, stem in material.replaced.items()},
            "answers": list(material.spec.symbols),
        }

    def _note_changes(self, changes: Any, when: str) -> bool:
        """Note what the code changed process-wide; true if the worker must be replaced."""
        must_replace = False
        for name, undone in changes if type(changes) is list else []:
            must_replace = must_replace or undone is not True
            if name not in audit.NAMES or name in self._changed:  # the code's own word may be anything
                continue
            self._changed.add(name)
            self.notes[f"The code changes {name} {when}; this was undone and reached nothing else."] = None
        return must_replace

    def finish_check(self, passed: bool = True) -> None:
        """Audit the worker after a check, and let it go if it is not as it was."""
        worker = self._worker
        if worker is None:
            return
        # An error on a real accelerator (out of memory, a device assert) may have spoilt its context.
        if worker.is_dead or (self.is_on_accelerator and not passed):
            self._collect(worker)
            return
        try:
            reply = worker.ask("finish", {})
            with reading_reply():
                must_replace = self._note_changes(reply["changed"], "while it runs")
            if must_replace:
                self._collect(worker)
        except StudentError:
            # It cannot even answer for itself any more: nobody will ask it again.
            self._collect(worker)

    def _collect(self, worker: Worker) -> None:
        worker.close()
        if len(self.stdout) < 4096:
            self.stdout += worker.output
        if self._worker is worker:
            self._worker = None

    def retire(self) -> None:
        """The exercise is over."""
        if self._worker is not None:
            self._collect(self._worker)

    def note_records(self) -> tuple[Note, ...]:
        return tuple(Note(text, path=self.material.source.path) for text in self.notes)


SessionFactory = Callable[[str], Session]
