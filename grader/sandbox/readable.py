"""What student code may read: the interpreter's, torch's and the system's own files, and nothing else.

Computed on the trusted side without importing torch. The answer is a short list of real paths; folders
stand for everything below them.
"""

from __future__ import annotations

import importlib.util
import os
import re
import stat
import sys
from collections.abc import Collection, Iterable
from functools import lru_cache
from importlib import metadata
from pathlib import Path

BOX_FOLDER = Path(__file__).resolve().parent / "box"

# Packages that the template imports; what they require is found from their metadata.
_PACKAGES = ("torch", "numpy", "landlockpy")
_SYSTEM_PATHS = (
    "/usr/lib",
    "/usr/lib64",
    "/lib",
    "/lib64",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/etc/ld.so.cache",
    "/etc/alternatives",  # links by which Debian chooses its BLAS
    # Without these two torch chooses other kernels than the grader's process, and the last bits differ.
    "/sys/devices/system/cpu",
    "/proc/cpuinfo",
)


def interpreter() -> str:
    """The real interpreter, not a virtual environment's link to it.

    The environment's packages are passed by `import_paths`, so its folder is not needed.
    """
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


@lru_cache(maxsize=1)
def import_paths() -> tuple[str, ...]:
    """Folders that hold torch and everything it requires, as real paths, in the order of sys.path."""
    folders = {os.path.realpath(str(entry.locate_file(""))) for entry in _distributions(_PACKAGES)}
    for package in _PACKAGES:
        # Finding a top-level package does not import it. Its folder counts too: an editable install has
        # its metadata elsewhere.
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin:
            parents = Path(spec.origin).resolve().parents
            folders.add(str(parents[1] if spec.submodule_search_locations else parents[0]))
    order = [os.path.realpath(entry) for entry in sys.path]
    return tuple(sorted(folders, key=lambda folder: order.index(folder) if folder in order else len(order)))


def _distributions(names: Iterable[str]) -> list[metadata.Distribution]:
    """The installed distributions of these names and of all that they require without extras."""
    found: dict[str, metadata.Distribution] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # required on another platform only
        for requirement in found[name].requires or ():
            if "extra ==" not in requirement and (match := re.match(r"[\w.-]+", requirement)):
                waiting.append(match.group())
    return list(found.values())


def read_paths() -> tuple[str, ...]:
    """Everything that student code may read, as sorted real paths; none lies below another.

    The `lib` folder of the interpreter's own prefix holds the standard library and, for interpreters that
    are not the system's, the shared libraries that it loads.
    """
    candidates = {*_SYSTEM_PATHS, *import_paths(), str(BOX_FOLDER), os.path.dirname(os.__file__)}
    candidates |= {os.path.join(sys.base_prefix, name) for name in ("lib", "lib64")}
    existing = {os.path.realpath(path) for path in candidates if os.path.exists(path)}
    return tuple(sorted(path for path in existing if not _is_below(path, existing)))


def _is_below(path: str, folders: Collection[str]) -> bool:
    return any(str(parent) in folders for parent in Path(path).parents)


def exposed(secrets: Iterable[Path]) -> list[str]:
    """Which of these files and folders student code could read because a folder that it needs holds them."""
    readable = set(read_paths())
    real = [os.path.realpath(secret) for secret in secrets]
    return [secret for secret in real if secret in readable or _is_below(secret, readable)]


def required_files() -> tuple[str, ...]:
    """One file of each place without which a template cannot start, to test whether it can be read."""
    packages = [str(Path(folder, "torch", "__init__.py")) for folder in import_paths()]
    box, library = str(BOX_FOLDER / "__init__.py"), os.path.realpath(os.__file__)
    return (interpreter(), library, box, *filter(os.path.exists, packages))


def unreadable_for(uid: int, gid: int) -> str | None:
    """The first file or folder that keeps this user from starting a template; None if nothing does.

    Looks at permission bits before anything is started: an interpreter that cannot read its library
    reports anything but that. The real start that follows sees the rest (access lists, mounts).
    """
    for file in map(Path, required_files()):
        for place in (*reversed(file.parents), file):
            status = place.stat()
            shift = 6 if status.st_uid == uid else 3 if status.st_gid == gid else 0
            needed = stat.S_IXOTH if place != file else stat.S_IROTH
            if not (status.st_mode >> shift) & needed:
                return str(place)
    return None
