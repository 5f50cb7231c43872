"""One exercise of one submission: which worker runs it, how its source is loaded, what it has used up."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.catalog import ExerciseSpec, Limits
from grader.errors import StudentError
from grader.records import Note, SourceText
from grader.sandbox.template import TemplateClient
from grader.sandbox.worker import Worker

MAX_TIME_OUTS = 2
REFERENCE_MODULE = "_reference_{}"


@dataclass(frozen=True)
class Material:
    """What a worker is given. `references` are texts of exercises whose own code is replaced (by stem)."""

    spec: ExerciseSpec
    source: SourceText
    modules: Mapping[str, SourceText]
    offers: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)

    def locate(self, module: str) -> SourceText | None:
        return self.source if module == self.source.module else self.modules.get(module)

    def mentions_optimisers(self, only_definitions: bool) -> bool:
        """The code may train something while it is imported."""
        return any("optim" in text for text in self.texts(only_definitions).values())

    def texts(self, only_definitions: bool) -> dict[str, str]:
        """Source texts by module name, the replaced siblings with the reference's."""
        texts = {name: _text(source, only_definitions) for name, source in self.modules.items()}
        texts[self.source.module] = _text(self.source, only_definitions)
        for stem, text in self.references.items():
            texts[REFERENCE_MODULE.format(stem)] = text
            if stem != self.source.module:
                texts[stem] = text
        return texts


def _text(source: SourceText, only_definitions: bool) -> str:
    return source.definitions if only_definitions and source.definitions is not None else source.text


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
        self._worker: Worker | None = None
        self.device_name: str | None = "cpu"
        self.device_reason = ""
        self.only_definitions = False
        self.import_error: StudentError | None = None
        self.time_outs = 0
        self.notes: dict[str, None] = {}
        self.stdout = b""
        self.layers: list[tuple[str, bool, str]] = []
        self.missing: tuple[str, ...] = ()
        self.names: tuple[str, ...] = ()

    def new_seed(self) -> int:
        return self._rng.randrange(1, 1 << 31)

    @property
    def is_exhausted(self) -> bool:
        """After the second time-out the rest of the exercise is skipped."""
        return self.time_outs >= MAX_TIME_OUTS

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

    def _start(self) -> Worker:
        has_fallback = any(source.definitions is not None for source in self._all_sources())
        try:
            return self._load(self.only_definitions)
        except StudentError as err:
            if self.only_definitions or not has_fallback:
                raise
            self._note_fallback(err)
        self.only_definitions = True
        return self._load(True)

    def _all_sources(self) -> list[SourceText]:
        return [self.material.source, *self.material.modules.values()]

    def _note_fallback(self, err: StudentError) -> None:
        shown = err.message if not self.material.references else "it failed at import"
        self.notes[
            f"`{self.material.source.path}` did not run as a whole ({shown}); only its definitions were used."
        ] = None

    def _load(self, only_definitions: bool) -> Worker:
        if self.material.mentions_optimisers(only_definitions):
            self._client.ask({"op": "warm"})
        worker = Worker(self._client, self._limits, self.material.locate)
        self.layers = worker.layers
        try:
            if self.device != "cpu":
                self._choose_device(worker)
            reply = worker.ask(
                "load",
                self._load_request(only_definitions),
                cpu_s=self._limits.import_cpu_s,
                what="importing the file",
            )
            self.missing = tuple(str(name) for name in reply["missing"])
            self.names = tuple(str(name) for name in reply["names"])
            self._note_changes(reply["changed"], "at import")
            worker.note_cpu()
        except (KeyError, TypeError) as err:
            self._collect(worker)
            raise StudentError("The code broke the process.", outcome="bad_return", kind="protocol") from err
        except StudentError as err:
            self._collect(worker)
            raise _at_import(err) from err
        return worker

    def _load_request(self, only_definitions: bool) -> dict[str, Any]:
        material = self.material
        return {
            "sources": material.texts(only_definitions),
            "main": material.source.module,
            "symbols": list(material.spec.symbols),
            "offers": dict(material.offers),
            "overrides": {name: REFERENCE_MODULE.format(stem) for name, stem in material.replaced.items()},
            "answers": list(material.spec.symbols),
        }

    def _choose_device(self, worker: Worker) -> None:
        reply = worker.ask("device", {"name": self.device})
        self.device_name, self.device_reason = reply["name"], str(reply["reason"])

    def _note_changes(self, changes: Any, when: str) -> bool:
        """Note what the code changed process-wide; true if the worker must be replaced."""
        must_replace = False
        for change in changes if type(changes) is list else []:
            name, undone = str(change[0]), bool(change[1])
            must_replace = must_replace or not undone
            self.notes[f"The code changes {name} {when}; this was undone and reached nothing else."] = None
        return must_replace

    def finish_check(self, seeds: bool = False) -> None:
        """Audit the worker after a check, and let it go if it is not as it was."""
        worker = self._worker
        if worker is None:
            return
        if worker.is_dead:
            self._collect(worker)
            return
        try:
            reply = worker.ask("audit", {})
            worker.ask("release", {})
            if self._note_changes(reply["changed"], "while it runs"):
                self._collect(worker)
        except (StudentError, KeyError, TypeError):
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


def _at_import(err: StudentError) -> StudentError:
    if err.outcome == "raised" and err.kind == "raised":
        message = f"The file could not be imported: {err.message}"
    else:
        message = f"While the file was imported: {err.message}"
    return StudentError(
        message,
        outcome=err.outcome,
        kind="import",
        frames=err.frames,
        hint=err.hint,
        exception_type=err.exception_type,
    )


SessionFactory = Callable[[str], Session]
