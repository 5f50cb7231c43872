"""A judge: the fork of the collected session that runs all checks of one submission."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pytest

from grader.catalog import Assignment, ExerciseSpec
from grader.judge.looking import Subject, look_at
from grader.judge.prepared import PreparedSuites
from grader.printable import printable
from grader.records import ExerciseRun, Submission, SuiteRun
from grader.sandbox.template import Template, TemplateClient
from grader.student.material import Material
from grader.student.session import Session
from grader.suite.judging import JudgeState

MAX_STDOUT = 4000


@dataclass(frozen=True)
class JudgeOptions:
    """`device`: "auto", "cpu", "pretend" or an accelerator's type; `exercises` are stems, all if empty.

    With `pictures` the submission is also looked at, after all checks.
    """

    seed: int
    device: str = "auto"
    exercises: tuple[str, ...] = ()
    pictures: bool = False


class Templates(NamedTuple):
    """Where workers come from: for the CPU and the pretend device, and for a real accelerator, if any."""

    cpu: Template
    accelerator: Template | None = None


class Judge:
    """Runs one submission. Lives in a process of its own, which may die without hurting anybody."""

    def __init__(
        self, suites: PreparedSuites, templates: Templates, submission: Submission, options: JudgeOptions
    ) -> None:
        self.suites, self.submission, self.options = suites, submission, options
        self.assignment: Assignment = suites.assignment
        self.templates = templates
        self.client = templates.cpu.connect()
        self.accelerator_client: TemplateClient | None = None
        self.rng = random.Random(options.seed)
        self.layers: list[tuple[str, bool, str]] = []
        self.follow_through: set[str] = set()
        # Modules that did not run as a whole: tried once, not once an exercise.
        self.only_definitions: set[str] = set()
        self.sessions_seen: dict[str, list[Session]] = {}

    def run(self) -> SuiteRun:
        timings: dict[str, float] = {}
        state = JudgeState(
            self.options.seed,
            self._open_session,
            self.suites.reference,
            self.suites.diagnoser.remember,
            self.suites.trails,
        )
        self.suites.plugin.state = state
        for spec in self._chosen():
            began = time.monotonic()
            if self.submission.exercises[spec.stem].source is not None:
                self._run_exercise(spec, state)
            timings[f"suite {spec.stem}"] = round(time.monotonic() - began, 4)
        report = self.suites.finish()
        report["checks"] = self.suites.catalogue
        # What was judged aside, for a follow-through, is nobody's result.
        aside = set(self.assignment.stems) - {spec.stem for spec in self._chosen()}
        report["tests"] = [test for test in report.get("tests", []) if _stem_of(test) not in aside]
        run = SuiteRun(
            pytest_report=report,
            environment={"layers": [list(layer) for layer in self.layers], "device": self._devices(state)},
            exercises={stem: self._exercise_run(stem) for stem in self.sessions_seen},
            timings=timings,
        )
        if self.options.pictures:
            run = self._with_pictures(run, state)
        self.client.close()
        if self.accelerator_client is not None:
            self.accelerator_client.close()
        return run

    def _with_pictures(self, run: SuiteRun, state: JudgeState) -> SuiteRun:
        """`run` with what there is to see. Of the student's own code, also where it was graded again."""
        began = time.monotonic()
        subjects = [self._subject(spec, state) for spec in self._chosen() if spec.stem in self.sessions_seen]
        suites = self.suites
        looked = look_at(subjects, suites.looks, self.client, self.assignment.limits, suites.reference)
        seen = {
            stem: replace(run.exercises[stem], pictures=found.pictures, no_picture=found.problem)
            for stem, found in looked.items()
        }
        timings = {**run.timings, "pictures": round(time.monotonic() - began, 4)}
        return replace(run, exercises={**run.exercises, **seen}, timings=timings)

    def _subject(self, spec: ExerciseSpec, state: JudgeState) -> Subject:
        outcomes = {v["outcome"] for v in state.verdicts.values() if v["stem"] == spec.stem}
        material = self._material(spec.stem, {})
        return Subject(
            material,
            only_definitions=material.source.module in self.only_definitions,
            is_importable=not any(session.import_error for session in self.sessions_seen[spec.stem]),
            is_right=outcomes == {"passed"} and spec.stem not in self.follow_through,
        )

    def _devices(self, state: JudgeState) -> list[str]:
        names = {name for record in state.verdicts.values() for name in record["devices"]}
        return sorted(names)

    def _chosen(self) -> list[ExerciseSpec]:
        wanted = self.options.exercises
        return [spec for spec in self.assignment.exercises if not wanted or spec.stem in wanted]

    def _run_exercise(self, spec: ExerciseSpec, state: JudgeState) -> None:
        items = self.suites.items(spec.stem)
        self._run_checks(spec.stem, state)
        self._diagnose(spec.stem, state)
        if self._may_follow_through(spec, items, state):
            self._run_again(spec, items, state)

    def _diagnose(self, stem: str, state: JudgeState) -> None:
        """Name the mistakes, now that all that the checks saw can be put together."""
        for nodeid, finding in self.suites.diagnoser.conclude(stem).items():
            record = state.verdicts[nodeid]
            if finding.misconception:
                record["diagnosis"] = {"misconception": finding.misconception, "hint": finding.hint}
            if finding.staff_note:
                record["staff_message"] = f"{record['staff_message']} ({finding.staff_note})".strip()

    def _close(self, stem: str, state: JudgeState) -> None:
        self.sessions_seen.setdefault(stem, []).extend(state.sessions.values())
        for session in state.sessions.values():
            self.layers = session.layers or self.layers
            if session.only_definitions:
                self.only_definitions.add(session.material.source.module)
        state.close_sessions()

    def _may_follow_through(
        self, spec: ExerciseSpec, items: Iterable[pytest.Function], state: JudgeState
    ) -> bool:
        """A mistake counts once: it lost points here, and was counted in an exercise that this one uses."""
        if not all(self.assignment.reference(used).is_file() for used in spec.uses):
            return False  # a student's handout: there is nothing to put in place
        verdicts = [state.verdicts[item.nodeid] for item in items if item.nodeid in state.verdicts]
        if all(v["outcome"] == "passed" for v in verdicts) or any(
            v["outcome"] == "harness_error" for v in verdicts
        ):
            return False
        return any(self._counted_elsewhere(spec, used, state) for used in spec.uses)

    def _counted_elsewhere(self, spec: ExerciseSpec, stem: str, state: JudgeState) -> bool:
        """Did the exercise `stem`, which `spec` uses, lose points of its own?

        Where only `spec` was chosen, `stem` is judged as well, but for one case: a file of its own that
        defines both counts its mistake in the exercise that was chosen.
        """
        source, own = self.submission.exercises[stem].source, self.submission.exercises[spec.stem].source
        if source is None:
            return True
        if stem not in [chosen.stem for chosen in self._chosen()]:
            if own is not None and source.module == own.module:
                return False
            self._judge_aside(stem, state)
        return any(
            record["stem"] == stem and record["outcome"] != "passed" for record in state.verdicts.values()
        )

    def _judge_aside(self, stem: str, state: JudgeState) -> None:
        """Run an exercise that was not chosen, once; the report leaves it out."""
        if not any(item.nodeid in state.verdicts for item in self.suites.items(stem)):
            self._run_checks(stem, state)

    def _run_checks(self, stem: str, state: JudgeState) -> None:
        """All checks of an exercise get their verdicts, and its sessions end."""
        if not self.suites.run_or_recall(stem):
            self._start_over(stem, state)
        self._close(stem, state)

    def _start_over(self, stem: str, state: JudgeState) -> None:
        """Run the checks as if for the first time: new sessions, and nothing of what was found out."""
        items = self.suites.items(stem)
        state.close_sessions()
        self.suites.diagnoser.forget(stem)
        for item in items:
            state.verdicts.pop(item.nodeid, None)
            state.passed.pop(f"{stem}::{self.suites.plugin.info(item).name}", None)
        state.has_strayed = False
        self.suites.run(items)

    def _run_again(self, spec: ExerciseSpec, items: list[pytest.Function], state: JudgeState) -> None:
        """With the reference in place of what the student's code uses; its output stays here."""
        first = {item.nodeid: state.verdicts[item.nodeid] for item in items if item.nodeid in state.verdicts}
        passed_before = dict(state.passed)
        for info in {self.suites.plugin.info(item).name for item in items}:
            state.passed.pop(f"{spec.stem}::{info}", None)
        state.hides_output = True
        self.follow_through.add(spec.stem)
        try:
            self.suites.run(items)
        finally:
            state.close_sessions()
            state.hides_output = False
        second = {nodeid: state.verdicts[nodeid] for nodeid in first}
        if _points(second) <= _points(first):
            self.follow_through.discard(spec.stem)
            state.verdicts.update(first)
            state.passed = passed_before

    def _open_session(self, stem: str, device_case: str) -> Session:
        device = "cpu" if device_case == "cpu" else self._device()
        references: dict[str, str] = {}
        if stem in self.follow_through:
            uses = self.assignment.exercise(stem).uses
            references = {used: self.assignment.reference(used).read_text("utf-8") for used in uses}
        material = self._material(stem, references)
        session = self._new_session(material, device)
        session.only_definitions = material.source.module in self.only_definitions
        return session

    def _material(self, stem: str, references: dict[str, str]) -> Material:
        spec = self.assignment.exercise(stem)
        source = self.submission.exercises[stem].source
        assert source is not None
        return Material(
            spec=spec,
            source=source,
            modules=self.submission.modules,
            offers=offered_names(self.assignment, self.submission, spec),
            references=references,
            replaced={
                symbol: used for used in references for symbol in self.assignment.exercise(used).symbols
            },
        )

    def _new_session(self, material: Material, device: str) -> Session:
        limits, rng = self.assignment.limits, random.Random(self.rng.random())
        if device in ("cpu", "pretend") or self.templates.accelerator is None:
            return Session(self.client, material, limits, rng, device)
        if self.accelerator_client is None:
            self.accelerator_client = self.templates.accelerator.connect()
        # A driver maps more memory than the machine has: no limit on the address space.
        return Session(self.accelerator_client, material, replace(limits, memory_mb=0), rng, device)

    def _device(self) -> str:
        chosen = self.options.device
        if chosen == "auto":
            return self.suites.accelerator or "pretend"
        return "pretend" if chosen == "cpu" else chosen

    def _exercise_run(self, stem: str) -> ExerciseRun:
        sessions = self.sessions_seen[stem]
        notes = {note: None for session in sessions for note in session.note_records()}
        stdout = b"".join(session.stdout for session in sessions)
        return ExerciseRun(
            stem=stem,
            stdout=printable(stdout.decode("utf-8", "replace"), MAX_STDOUT),
            follow_through=stem in self.follow_through,
            used_definitions=any(session.only_definitions for session in sessions),
            notes=tuple(notes),
        )


def offered_names(assignment: Assignment, submission: Submission, spec: ExerciseSpec) -> dict[str, str]:
    """Names that an exercise's code may use without defining them, and the sibling module that has them."""
    own = submission.exercises[spec.stem].source
    offers: dict[str, str] = {}
    for other in assignment.exercises:
        source = submission.exercises[other.stem].source
        if other.stem != spec.stem and source is not None and own is not None and source.module != own.module:
            offers.update(dict.fromkeys(other.symbols, source.module))
    return offers


def _stem_of(test: Mapping[str, Any]) -> str:
    """The exercise of one entry of pytest's report; empty for one that never got a verdict."""
    return str(test.get("metadata", {}).get("check", {}).get("stem", ""))


def _points(verdicts: Mapping[str, Mapping[str, Any]]) -> float:
    """Points of the checks all of whose cases passed."""
    checks: dict[str, float] = {}
    for record in verdicts.values():
        earned = record["points"] if record["outcome"] == "passed" else 0.0
        checks[record["name"]] = min(earned, checks.get(record["name"], earned))
    return sum(checks.values())
