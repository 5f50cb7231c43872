"""What tests of the engine share: one template with real workers, and small assignments of their own."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import Assignment, ExerciseSpec, Limits, read_assignment
from grader.errors import GraderError
from grader.judge.client import JudgeHost
from grader.load import load_submission
from grader.records import SourceText, Submission, SuiteRun
from grader.report.schema import Report
from grader.sandbox.isolation import choose_plan
from grader.sandbox.template import Template
from grader.score import score_run
from grader.student.handle import Student
from grader.student.material import Material
from grader.student.session import Session

SEED = 7
# CPU seconds decide; the wall is far away, so that a busy machine changes no outcome.
LIMITS = Limits(import_cpu_s=1.0, call_cpu_s=1.0, wall_factor=60.0, memory_mb=512, output_kb=64)


@pytest.fixture(scope="session")
def template() -> Iterator[Template]:
    started = Template(choose_plan())
    yield started
    started.close()


StudentOf = Callable[..., Student]


@pytest.fixture
def student_of(template: Template) -> Iterator[StudentOf]:
    """`student_of(text, symbols=..., limits=..., **modules)`: a handle on a worker with this code in it."""
    client = template.connect()
    sessions: list[Session] = []

    def make(
        text: str,
        *symbols: str,
        limits: Limits = LIMITS,
        definitions: str | None = None,
        device: str = "cpu",
        offers: Mapping[str, str] | None = None,
        **modules: str,
    ) -> Student:
        source = _source("own", text, definitions)
        known = {name: _source(name, other) for name, other in modules.items()}
        spec = ExerciseSpec("own", "Own", 1.0, symbols or ("f",))
        material = Material(spec, source, {**known, "own": source}, offers=dict(offers or {}))
        sessions.append(Session(client, material, limits, random.Random(SEED), device))
        return Student(sessions[-1])

    yield make
    for session in sessions:
        session.retire()
    client.close()


def _source(module: str, text: str, definitions: str | None = None) -> SourceText:
    plain = textwrap.dedent(text).lstrip("\n")
    kept = None if definitions is None else textwrap.dedent(definitions).lstrip("\n")
    return SourceText(module, f"{module}.py", plain, kept)


@dataclass(frozen=True)
class Exercise:
    """One exercise of a small assignment: texts of its files, and what stands in assignment.toml."""

    reference: str
    hidden: str = ""
    public: str = ""
    symbols: tuple[str, ...] = ()
    points: float = 2
    uses: tuple[str, ...] = ()
    stub: str = "# Your turn."
    limits: Mapping[str, float] = field(default_factory=dict)


Build = Callable[..., Assignment]


def write_assignment(
    root: Path, limits: Mapping[str, float], exercises: Mapping[str, Exercise]
) -> Assignment:
    """Write an assignment of these exercises (by stem) under `root`; a symbol is named as its stem."""
    lines = ['id = "small"', 'title = "A small assignment"', "[limits]"]
    lines += [f"{name} = {value}" for name, value in limits.items()]
    for stem, exercise in exercises.items():
        symbols, uses = list(exercise.symbols or (stem,)), list(exercise.uses)
        lines += ["[[exercises]]", f'stem = "{stem}"', f'title = "{stem.capitalize()}"']
        lines += [f"points = {exercise.points}", f"symbols = {symbols}", f"uses = {uses}"]
        for folder, text in (
            (f"exercises/{stem}.py", exercise.stub),
            (f"solutions/{stem}.py", exercise.reference),
            (f"tests/hidden/test_{stem}.py", exercise.hidden),
            (f"tests/public/test_{stem}.py", exercise.public),
        ):
            if text:
                write_file(root / folder, text)
    write_file(root / "exercises" / "assignment.toml", "\n".join(lines))
    return read_assignment(root)


def write_file(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")
    return path


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """`build(limits={...}, stem=Exercise(...), ...)`: an assignment in a folder of the test's own."""

    def make(limits: Mapping[str, float] | None = None, **exercises: Exercise) -> Assignment:
        return write_assignment(tmp_path / "course", limits or {}, exercises)

    return make


@dataclass(frozen=True)
class Grader:
    """A judge host that several tests share, and the steps around it."""

    host: JudgeHost
    assignment: Assignment

    def load(self, folder: Path, files: Mapping[str, str]) -> Submission:
        for name, text in files.items():
            write_file(folder / name, text)
        return load_submission(folder, self.assignment)

    def run(
        self, submission: Submission, *exercises: str, seed: int = SEED, device: str = "auto"
    ) -> SuiteRun:
        return self.host.judge(submission, seed=seed, device=device, exercises=exercises)

    def grade(
        self, folder: Path, files: Mapping[str, str], *exercises: str, seed: int = SEED, device: str = "auto"
    ) -> Report:
        """Load, judge and score `files`; a missing one leaves its exercise missing."""
        submission = self.load(folder, files)
        run = self.run(submission, *exercises, seed=seed, device=device)
        return score_run(
            self.assignment, submission, run, seed=seed, started_at=datetime.now(timezone.utc),
            duration_s=0.0, exercises=exercises,
        )  # fmt: skip


def checks_of(report: Report, stem: str) -> dict[str, Any]:
    """The checks of one exercise by their function's name."""
    exercise = next(found for found in report.exercises if found.stem == stem)
    return {check.id.partition("::")[2]: check for check in exercise.checks}


@pytest.fixture(scope="session")
def checks() -> Callable[[Report, str], dict[str, Any]]:
    return checks_of


@pytest.fixture(scope="session")
def exercise_type() -> type[Exercise]:
    """Tests of a package without `__init__` cannot import this module; they take the class from here."""
    return Exercise


@pytest.fixture(scope="session")
def write_course() -> Callable[[Path, Mapping[str, float], Mapping[str, Exercise]], Assignment]:
    """Writes an assignment where the test says."""
    return write_assignment


@pytest.fixture(scope="session")
def start_grader() -> Callable[[Path, Mapping[str, float], Mapping[str, Exercise]], Grader]:
    """Writes an assignment and starts a host for it; the caller closes `grader.host`."""

    def start(root: Path, limits: Mapping[str, float], exercises: Mapping[str, Exercise]) -> Grader:
        assignment = write_assignment(root, limits, exercises)
        host = JudgeHost(assignment, isolation="auto", device="auto")
        try:
            host.wait_ready()
        except GraderError:
            host.close()
            raise
        return Grader(host, assignment)

    return start


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server of our own on a Unix socket; `{}` stands for a database."""
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL's server is not installed (Debian: `postgresql`)")
    home = Path(tempfile.mkdtemp(prefix="grades-pg-"))  # the server's user may not enter pytest's folders
    user = _server_user(home)
    bin_folder = found[-1].parent
    subprocess.run(
        [*user, bin_folder / "initdb", "-D", home / "data", "-A", "trust", "-U", "grades", "--no-sync"],
        check=True, capture_output=True,
    )  # fmt: skip
    settings = f"-c listen_addresses='' -c unix_socket_directories={home} -c fsync=off"
    control = [*user, bin_folder / "pg_ctl", "-D", home / "data", "-w"]
    subprocess.run(
        [*control, "-o", settings, "-l", home / "log", "start"], check=True, stdout=subprocess.DEVNULL
    )
    yield f"postgresql://grades@/{{}}?host={home}"
    subprocess.run([*control, "-m", "immediate", "stop"], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(home)


def _server_user(home: Path) -> list[str]:
    """PostgreSQL refuses to run as root; the user that Debian makes for it must reach its folder."""
    if os.getuid() != 0:
        return []
    if shutil.which("runuser") is None or subprocess.run(["id", "postgres"], capture_output=True).returncode:
        pytest.skip("there is no user `postgres` to run the server as")
    home.chmod(0o755)
    shutil.chown(home, "postgres")
    return ["runuser", "-u", "postgres", "--"]


@pytest.fixture
def postgres(postgres_server: str) -> str:
    """The URL of an empty database of that server."""
    import psycopg

    name = f"test_{secrets.token_hex(8)}"
    with psycopg.connect(postgres_server.format("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres_server.format(name)
