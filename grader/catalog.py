"""The assignment: found from a path, read from `exercises/assignment.toml`, checked all at once."""

from __future__ import annotations

import hashlib
import keyword
import math
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from grader.errors import AssignmentError, NoAssignmentError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ASSIGNMENT_FILE = Path("exercises") / "assignment.toml"
# Nothing can lie below a device: the staff parts of an assignment that is seen as a handout.
NOWHERE = Path(os.devnull)
Track = Literal["core", "extension"]
_KEYS = frozenset({"id", "title", "limits", "exercises"})
# A file of such a name could not be imported, or would stand in the way of one that must be.
_TAKEN = sys.stdlib_module_names | {"torch", "numpy", "d2l"}


@dataclass(frozen=True)
class Limits:
    """What student code may use. CPU seconds are the limit that counts; wall time is a backstop.

    `exercise_wall_s` is how long we wait for one exercise's code in all, over its calls and workers.
    """

    import_cpu_s: float = 8.0
    call_cpu_s: float = 4.0
    wall_factor: float = 10.0
    exercise_wall_s: float = 90.0
    memory_mb: int = 1024
    processes: int = 64
    output_kb: int = 1024


@dataclass(frozen=True)
class ExerciseSpec:
    """One exercise: `symbols` are what a student defines, `uses` the other exercises it builds on."""

    stem: str
    title: str
    points: float
    symbols: tuple[str, ...]
    uses: tuple[str, ...] = ()
    track: Track = "core"


@dataclass(frozen=True)
class Assignment:
    """An assignment on disk. `root` holds `exercises/` and, for staff, `solutions/` and `tests/`.

    With `is_practice` it is seen as a student's handout, whatever else lies there: see `as_handout`.
    """

    id: str
    title: str
    root: Path
    exercises: tuple[ExerciseSpec, ...]
    limits: Limits
    is_practice: bool = False

    def as_handout(self) -> Assignment:
        """The same with what students get and nothing more: no staff part is looked at, let alone run."""
        return replace(self, is_practice=True)

    @property
    def _staff_root(self) -> Path:
        return NOWHERE if self.is_practice else self.root

    def exercise(self, stem: str) -> ExerciseSpec:
        return next(spec for spec in self.exercises if spec.stem == stem)

    @property
    def stems(self) -> tuple[str, ...]:
        return tuple(spec.stem for spec in self.exercises)

    @property
    def max_score(self) -> float:
        return sum(spec.points for spec in self.exercises if spec.track == "core")

    def stub(self, stem: str) -> Path:
        return self.root / "exercises" / f"{stem}.py"

    def reference(self, stem: str) -> Path:
        return self._staff_root / "solutions" / f"{stem}.py"

    def misconceptions(self, stem: str) -> Path:
        return self._staff_root / "solutions" / "misconceptions" / f"{stem}.py"

    def suite(self, stem: str, visibility: Literal["public", "hidden"]) -> Path:
        root = self.root if visibility == "public" else self._staff_root
        return root / "tests" / visibility / f"test_{stem}.py"

    @property
    def has_staff_parts(self) -> bool:
        """False in a student's handout, where only the public suites can be graded."""
        return any(self.suite(stem, "hidden").is_file() for stem in self.stems)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides a score: stubs, references, suites, limits."""
        digest = hashlib.sha256()
        for path in sorted(self._deciding_files()):
            digest.update(f"{path.relative_to(self.root).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def _deciding_files(self) -> Iterator[Path]:
        yield self.root / ASSIGNMENT_FILE
        for stem in self.stems:
            named = (
                self.stub(stem),
                self.reference(stem),
                self.misconceptions(stem),
                self.suite(stem, "public"),
                self.suite(stem, "hidden"),
            )
            yield from (path for path in named if path.is_file())


def find_assignment(explicit: str | None, *starts: Path, submission: Path | None = None) -> Assignment:
    """The assignment in the folder that `find_root` finds.

    Raises:
        NoAssignmentError: none is found.
        AssignmentError: the one found is broken.
    """
    return read_assignment(find_root(explicit, *starts, submission=submission))


def find_root(explicit: str | None, *starts: Path, submission: Path | None = None) -> Path:
    """The assignment's folder: `explicit`, `GRADE_ASSIGNMENT`, or the first found above one of `starts`.

    The first start that has one wins. One that lies inside `submission` is never found: the suites of an
    assignment run as trusted code, and a submission may hold an `exercises/assignment.toml` of its own.

    Raises:
        NoAssignmentError: none is found.
    """
    named = explicit or os.environ.get("GRADE_ASSIGNMENT")
    if named:
        root = Path(named).expanduser().resolve()
        if root.name == "exercises" and (root / ASSIGNMENT_FILE.name).is_file():
            root = root.parent
        if not (root / ASSIGNMENT_FILE).is_file():
            raise NoAssignmentError(
                f"`{named}` is not an assignment: it has no `{ASSIGNMENT_FILE}`.",
                hint="Name the folder that holds `exercises/`.",
            )
        return root
    for start in starts:
        for folder in (start, *start.parents):
            is_submitted = submission is not None and folder.resolve().is_relative_to(submission.resolve())
            if not is_submitted and (folder / ASSIGNMENT_FILE).is_file():
                return folder
    looked = ", ".join(f"`{start}`" for start in dict.fromkeys(start.resolve() for start in starts))
    raise NoAssignmentError(
        f"No assignment found: neither {looked} nor a folder above holds `{ASSIGNMENT_FILE}`.",
        hint="Give the assignment's folder with --assignment DIR or GRADE_ASSIGNMENT.",
    )


def read_assignment(root: Path) -> Assignment:
    """Read and check `exercises/assignment.toml` under `root`.

    Raises:
        AssignmentError: with every problem of the file at once.
    """
    path = root / ASSIGNMENT_FILE
    try:
        with path.open("rb") as handle:
            table = tomllib.load(handle)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as err:
        raise AssignmentError(f"`{path}` cannot be read: {err}") from err
    problems = [f"`{key}` is not a key that is known here" for key in table if key not in _KEYS]
    for key in ("id", "title"):
        if not isinstance(table.get(key), str) or not table[key]:
            problems.append(f"`{key}` must be a non-empty string, got {table.get(key)!r}")
    raw = table.get("exercises")
    specs: list[ExerciseSpec] = []
    if not isinstance(raw, list) or not raw:
        problems.append("`[[exercises]]` must list at least one exercise")
    else:
        for number, entry in enumerate(raw, 1):
            spec = _read_exercise(entry, number, problems)
            if spec is not None:
                specs.append(spec)
    limits = _read_limits(table.get("limits", {}), problems)
    problems += _cross_check(specs)
    if problems:
        raise AssignmentError(
            f"`{path}` has {len(problems)} problem{'s' if len(problems) > 1 else ''}: " + "; ".join(problems),
            problems=problems,
        )
    return Assignment(table["id"], table["title"], root, tuple(specs), limits)


def _read_exercise(entry: object, number: int, problems: list[str]) -> ExerciseSpec | None:
    where = f"exercise {number}"
    if not isinstance(entry, dict):
        problems.append(f"{where} must be a table, got {type(entry).__name__}")
        return None
    unknown = set(entry) - {"stem", "title", "points", "symbols", "uses", "track"}
    if unknown:
        problems.append(f"{where} has unknown keys: {', '.join(sorted(unknown))}")
    stem, title, points = entry.get("stem"), entry.get("title"), entry.get("points")
    symbols, uses, track = entry.get("symbols"), entry.get("uses", []), entry.get("track", "core")
    before = len(problems)
    if not _is_name(stem):
        problems.append(f"{where}: `stem` must be a Python name, got {stem!r}")
    elif stem in _TAKEN:
        problems.append(f"{where}: `stem` must not be the name of a library's module, got {stem!r}")
    if not isinstance(title, str) or not title:
        problems.append(f"{where}: `title` must be a non-empty string, got {title!r}")
    if not _is_positive(points):
        problems.append(f"{where}: `points` must be a positive number, got {points!r}")
    if not _is_names(symbols) or not symbols:
        problems.append(f"{where}: `symbols` must be a list of Python names, got {symbols!r}")
    if not _is_names(uses):
        problems.append(f"{where}: `uses` must be a list of stems, got {uses!r}")
    if track not in ("core", "extension"):
        problems.append(f'{where}: `track` must be "core" or "extension", got {track!r}')
    if len(problems) > before:
        return None
    return ExerciseSpec(
        stem=str(stem),
        title=str(title),
        points=float(points),  # type: ignore[arg-type]  # checked above
        symbols=tuple(symbols),  # type: ignore[arg-type]
        uses=tuple(uses),
        track="extension" if track == "extension" else "core",
    )


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def _is_names(names: object) -> bool:
    return isinstance(names, list) and all(_is_name(name) for name in names)


def _is_positive(value: object) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value > 0  # type: ignore[arg-type, operator]


def _read_limits(table: object, problems: list[str]) -> Limits:
    if not isinstance(table, Mapping):
        problems.append("`[limits]` must be a table")
        return Limits()
    known: dict[str, Any] = {}
    for key, value in table.items():
        if key not in Limits.__dataclass_fields__:
            problems.append(f"`[limits]` has an unknown key: {key}")
        elif not _is_positive(value):
            problems.append(f"`limits.{key}` must be a positive number, got {value!r}")
        elif isinstance(getattr(Limits, key), int) and not isinstance(value, int):
            problems.append(f"`limits.{key}` must be a whole number, got {value!r}")
        else:
            known[key] = value
    return Limits(**known)


def _cross_check(specs: list[ExerciseSpec]) -> Iterator[str]:
    stems = [spec.stem for spec in specs]
    yield from (
        f"the stem `{stem}` is used more than once" for stem in dict.fromkeys(stems) if stems.count(stem) > 1
    )
    used_by = {spec.stem: spec.uses for spec in specs}
    for spec in specs:
        for used in spec.uses:
            if used not in stems:
                yield f"exercise `{spec.stem}` uses `{used}`, which is not an exercise"
        if spec.stem in _reached(spec.stem, used_by):
            yield f"exercise `{spec.stem}` uses itself, directly or through others"


def _reached(stem: str, used_by: Mapping[str, tuple[str, ...]]) -> set[str]:
    """All exercises that `stem` uses, in any number of steps."""
    found: set[str] = set()
    waiting = list(used_by[stem])
    while waiting:
        used = waiting.pop()
        if used not in found:
            found.add(used)
            waiting += used_by.get(used, ())
    return found
