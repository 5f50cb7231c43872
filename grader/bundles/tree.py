"""The parts that every bundle is made of: the grader's source, the assignment with its staff parts, pins."""

from __future__ import annotations

import importlib
import io
import pkgutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import grader
from grader.authoring.notebook import TEXTS
from grader.catalog import Assignment
from grader.errors import GraderError
from grader.exports.request import settle
from grader.exports.targets import Setting

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same parts give the same bundle
# Of the assignment's folders, what grading needs; wheats, chaffs and attacks stay at home.
_HANDOUT_FOLDERS = ("exercises", "tests/public")
_COURSE_FOLDERS = (*_HANDOUT_FOLDERS, "solutions", "tests/hidden")
_SHARED_MODULES = ("image", "tree", "trial", "wheel")  # no bundles
DISTRIBUTION = "attention-grader"


class BundleError(GraderError):
    """A bundle cannot be made or tried; nothing was written."""


class BundleFile(NamedTuple):
    """A file of a bundle; `path` is relative with `/`."""

    path: str
    content: bytes
    is_executable: bool = False


class Trial(NamedTuple):
    """What came of running a bundle as its platform does: its document (or None) and all that was printed."""

    document: str | None
    output: str
    exit_code: int


@dataclass(frozen=True)
class Bundle:
    """One platform. `attempt(files, submission, root)` runs the bundle's files below `root`.

    `make` gets the assignment and a value for every setting.
    """

    title: str
    file_name: str
    make: Callable[[Assignment, Mapping[str, str]], list[BundleFile]]
    attempt: Callable[[list[BundleFile], Path, Path], Trial]
    settings: tuple[Setting, ...] = field(default=())

    def files(self, assignment: Assignment, given: Mapping[str, str] | None = None) -> list[BundleFile]:
        """The bundle's files.

        Raises:
            BundleError: the assignment lacks what the platform needs.
            SettingError: a setting is unknown, or missing and needed.
        """
        return self.make(assignment, settle(self, given or {}, {}))


def bundle_names() -> list[str]:
    """The names of all bundles; imports none of them."""
    folder = str(Path(__file__).parent)
    modules = pkgutil.iter_modules([folder])
    names = (module.name for module in modules if module.name not in _SHARED_MODULES)
    return sorted(name.replace("_", "-") for name in names)


def load_bundle(name: str) -> Bundle:
    module = importlib.import_module(f"grader.bundles.{name.replace('-', '_')}")
    found: Bundle = module.BUNDLE
    return found


def grader_files(below: str) -> Iterator[BundleFile]:
    """The grader's own source under `below`/grader."""
    root = Path(grader.__file__).parent
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield BundleFile(f"{below}/grader/{path.relative_to(root).as_posix()}", path.read_bytes())


def course_files(assignment: Assignment, below: str) -> Iterator[BundleFile]:
    """The assignment with its staff parts under `below`.

    Raises:
        BundleError: it has no hidden suites, so it is a handout and can grade nobody.
    """
    if not assignment.has_staff_parts:
        raise BundleError(
            f"`{assignment.root}` has no hidden suites.", hint="Bundle the staff's copy, not the handout."
        )
    yield from _files_of(assignment, _COURSE_FOLDERS, below)


def handout_files(assignment: Assignment, below: str) -> Iterator[BundleFile]:
    """What students have anyway, under `below`: stubs and public suites.

    What the notebook was made from is not among them.
    """
    sources = f"{below}/{TEXTS.as_posix()}/"
    files = _files_of(assignment, _HANDOUT_FOLDERS, below)
    yield from (file for file in files if not file.path.startswith(sources))


def _files_of(assignment: Assignment, folders: tuple[str, ...], below: str) -> Iterator[BundleFile]:
    for folder in folders:
        for path in sorted((assignment.root / folder).rglob("*")):
            relative = path.relative_to(assignment.root)
            # A hidden folder such as Jupyter's checkpoints may hold anything.
            is_ours = not any(part.startswith(".") or part == "__pycache__" for part in relative.parts)
            if is_ours and path.is_file() and not path.is_symlink():
                yield BundleFile(f"{below}/{relative.as_posix()}", path.read_bytes())


def pinned_requirements() -> bytes:
    """Every package that the grader needs, with the version that is installed here."""
    pins: dict[str, str] = {}
    waiting = [DISTRIBUTION]
    seen = set()
    while waiting:
        name = waiting.pop()
        key = name.lower().replace("_", "-")
        if key in seen:
            continue
        seen.add(key)
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system or another Python
        if key != DISTRIBUTION:
            pins[key] = found.version.partition("+")[0]
        waiting += [_name_of(line) for line in found.requires or () if "extra ==" not in line]
    lines = [f"{name}=={version}" for name, version in sorted(pins.items())]
    return ("\n".join(lines) + "\n").encode()


def _name_of(requirement: str) -> str:
    """The package's name at the start of a requirement."""
    for place, char in enumerate(requirement):
        if not (char.isalnum() or char in "-_."):
            return requirement[:place]
    return requirement


def as_zip(files: list[BundleFile]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.path, _LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if file.is_executable else 0o100644) << 16
            archive.writestr(info, file.content)
    return made.getvalue()


def unpack(files: list[BundleFile], folder: Path) -> None:
    """Lay the files out as the platform's unzip does."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(0o755 if file.is_executable else 0o644)
